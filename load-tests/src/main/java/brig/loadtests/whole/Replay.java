package brig.loadtests.whole;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The script of {@code brig-pace replay}: an agent's recorded native output up to its first message, then that message
 * again and again, longer and with other text. The recorded message is {@code tok0 tok1 …}, a token a line.
 *
 * <p>Recordings hold the agent's lines, or {@code {"t":…,"dir":"->" or "<-","m":…}} for both directions.
 *
 * <p>Decision 0178.
 */
public enum Replay {
    CLAUDE("claude/text-partial", "\"message_start\"", "\"message_stop\""),
    CODEX("codex/appserver-text", "\"item/started\".*\"agentMessage\"", "\"item/completed\".*\"agentMessage\""),
    OPENCODE("acp/acp-text", "\"agent_message_chunk\"", "\"agent_message_chunk\"");

    private static final Pattern TOKEN = Pattern.compile("\" ?tok\\d+\"");
    private static final Pattern MESSAGE = Pattern.compile("tok0( tok\\d+)+");
    private static final String AWAIT = "<";

    private final String recording;
    private final Pattern begin;
    private final Pattern end;

    /**
     * @param recording its resource, below {@code agents/}
     * @param begin a regular expression that is found in the first line of a message
     * @param end one that is found in its last line, and in none behind it
     */
    Replay(String recording, String begin, String end) {
        this.recording = recording;
        this.begin = Pattern.compile(begin);
        this.end = Pattern.compile(end);
    }

    /** The script of its recording. */
    public String script() throws IOException {
        try (InputStream bytes = Replay.class.getResourceAsStream("/agents/" + recording + ".ndjson")) {
            if (bytes == null) {
                throw new IOException("there is no recording " + recording);
            }
            return script(new String(bytes.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        }
    }

    /** The script of these lines. */
    String script(List<String> lines) {
        List<String> steps = lines.stream().map(Replay::step).toList();
        List<String> ofMessage =
                steps.stream().filter(begin.asPredicate().or(end.asPredicate())).toList();
        int first = steps.indexOf(ofMessage.getFirst());
        int last = steps.lastIndexOf(ofMessage.getLast());
        List<String> script = new ArrayList<>(steps.contains(AWAIT) ? List.of() : List.of(AWAIT));
        script.addAll(steps.subList(0, first));
        script.add("=");
        boolean hasToken = false;
        for (String step : steps.subList(first, last + 1)) {
            if (!TOKEN.matcher(step).find()) {
                script.add(MESSAGE.matcher(step).replaceAll("@MESSAGE@"));
            } else if (!hasToken) {
                script.add("*" + TOKEN.matcher(step).replaceFirst("\"@TOKEN@\"").substring(1));
                hasToken = true;
            }
        }
        return String.join("\n", script) + "\n";
    }

    private static String step(String line) {
        JsonObject recorded = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        return switch (recorded.text("dir")) {
            case "->" -> AWAIT;
            case "<-" -> ">" + new String(Json.write(recorded.object("m")), StandardCharsets.UTF_8);
            case null, default -> ">" + line;
        };
    }
}
