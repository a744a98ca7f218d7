package brig.formats.claude;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.SessionFile;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The transcript of a session of Claude Code, with those of its sub-agents, in the order of their times. A transcript has the
 * messages of {@link ClaudeMessages}, and what was asked; it does not say when a turn ends: that is where the model stops for
 * another reason than a tool. Owned by one thread.
 *
 * <p>Decision 0135.
 */
public final class ClaudeSessionFile implements SessionFile {
    private static final String NOTIFICATION = "<task-notification>";
    private static final String INTERRUPTED = "[Request interrupted by user";
    private static final Set<String> GOES_ON = Set.of("", "tool_use", "pause_turn");
    private static final long META_BYTES_MAX = 64 * 1024;

    private final Path file;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final ClaudeMessages messages;
    private final ClaudeTranscripts transcripts;
    /** The session's own transcript first; of two lines of one time the earlier transcript's comes first. */
    private final Map<Path, Transcript> open = new LinkedHashMap<>();
    /** Sub-agents by the tool call that started them. */
    private final Map<String, Transcript> started = new LinkedHashMap<>();
    /** Tokens of the turn by message: each line of a message repeats them. */
    private final Map<String, JsonObject> tokens = new LinkedHashMap<>();

    private final String folder;
    private String session = "";
    private boolean introduced;
    /** The message behind which the turn is over; empty for none. */
    private String last = "";

    private boolean failed;

    /** A file, whose it is, and the line that is next in it. */
    private static final class Transcript {
        private final GrowingFile file;
        /** What Claude Code says of the sub-agent; empty for the session's own transcript, and where it says nothing. */
        private final JsonObject meta;

        private @Nullable JsonObject line;
        private String time = "";
        /** Lines that were too long. */
        private int dropped;

        Transcript(GrowingFile file, JsonObject meta) {
            this.file = file;
            this.meta = meta;
        }

        /** Whether there is a line to be taken. */
        boolean hasLine() throws IOException {
            if (line == null) {
                byte[] bytes = file.line();
                dropped += file.takeDropped();
                if (bytes != null) {
                    line = NativeJson.readLine(bytes);
                    time = line.text("timestamp", time);
                }
            }
            return line != null;
        }

        JsonObject take() {
            JsonObject taken = line == null ? JsonObject.EMPTY : line;
            line = null;
            file.next();
            return taken;
        }

        boolean isInBackground() {
            return meta.text("requestShape", "").equals("background");
        }
    }

    /**
     * @param file the session's own transcript; those of its sub-agents lie where Claude Code writes them
     * @param folder that the agent works in
     */
    public ClaudeSessionFile(Path file, String folder, AgentFrames frames, FrameSink sink) {
        this.file = file;
        this.folder = folder;
        this.frames = frames;
        AgentTask nothing = new AgentTask("/", null, null, null, false, false);
        turn = new AgentTurn(frames, new Context(sink, bytes -> false, () -> {}, nothing));
        messages = new ClaudeMessages(frames, turn, question -> true, answer -> {});
        transcripts = ClaudeTranscripts.beside(file);
        open.put(file, new Transcript(new GrowingFile(file), JsonObject.EMPTY));
    }

    @Override
    public boolean grows() {
        return true;
    }

    @Override
    public String program() {
        return "claude";
    }

    @Override
    public String folder() {
        return folder;
    }

    @Override
    public boolean read() throws IOException, InterruptedException {
        findSubAgents();
        boolean said = false;
        for (Transcript next = earliest(false); next != null; next = earliest(false)) {
            said |= take(next);
        }
        if (!said) {
            endTurn();
        }
        return said;
    }

    @Override
    public void finish() throws InterruptedException {
        findSubAgents();
        open.values().forEach(transcript -> transcript.file.finish());
        try {
            for (Transcript next = earliest(true); next != null; next = earliest(true)) {
                take(next);
            }
        } catch (IOException unreadable) {
            frames.warned(null, String.valueOf(unreadable.getMessage()));
        }
        endTurn();
    }

    /** The transcript whose next line is the oldest. A sub-agent of which nobody knows who started it waits, but at the end. */
    private @Nullable Transcript earliest(boolean atEnd) throws IOException {
        Transcript earliest = null;
        for (Transcript transcript : open.values()) {
            if (hasLine(transcript)
                    && (atEnd || isPlaced(transcript))
                    && (earliest == null || transcript.time.compareTo(earliest.time) < 0)) {
                earliest = transcript;
            }
        }
        return earliest;
    }

    /** @throws IOException where the session's own transcript cannot be read; one of a sub-agent is then as if it ended */
    private boolean hasLine(Transcript transcript) throws IOException {
        try {
            return transcript.hasLine();
        } catch (IOException unreadable) {
            if (isOwn(transcript)) {
                throw unreadable;
            }
            transcript.file.giveUp();
            return false;
        }
    }

    private void findSubAgents() {
        if (!session.isEmpty()) {
            for (GrowingFile found : transcripts.files(session)) {
                open.computeIfAbsent(found.path(), path -> transcriptOf(found));
            }
        }
    }

    /** Whether it is known who started whoever wrote it. */
    private boolean isPlaced(Transcript transcript) {
        return isOwn(transcript)
                || transcript.meta.has("toolUseId")
                || (transcript.line != null && messages.knows(transcript.line.text("agentId", "")));
    }

    private boolean isOwn(Transcript transcript) {
        return transcript.file.path().equals(file);
    }

    private Transcript transcriptOf(GrowingFile found) {
        Path beside = found.path()
                .resolveSibling(String.valueOf(found.path().getFileName()).replace(".jsonl", ".meta.json"));
        JsonObject meta = JsonObject.EMPTY;
        try {
            if (Files.isRegularFile(beside) && Files.size(beside) <= META_BYTES_MAX) {
                meta = NativeJson.readLine(Files.readAllBytes(beside));
            }
        } catch (IOException unreadable) {
            // Then the sub-agent is known when its call is answered.
        }
        Transcript transcript = new Transcript(found, meta);
        if (meta.has("toolUseId")) {
            started.put(meta.text("toolUseId", ""), transcript);
        }
        return transcript;
    }

    /** @return whether the line says something of the agent's work */
    private boolean take(Transcript from) throws InterruptedException {
        boolean own = isOwn(from);
        JsonObject line = from.take();
        if (own && !line.text("sessionId", session).equals(session)) {
            session = line.text("sessionId", "");
            findSubAgents();
        } else if (!own && !line.text("sessionId", "").equals(session)) {
            return false;
        }
        frames.at(millis(from.time));
        for (; from.dropped > 0; from.dropped--) {
            frames.error("LINE_TOO_LONG", "the agent wrote a line that is too long to be read");
        }
        boolean inside = own && line.flag("isSidechain");
        return switch (line.text("type", "")) {
            case "assistant" -> {
                if (own && !inside) {
                    handleAnswer(line);
                }
                messages.handle(message(line, from));
                yield true;
            }
            case "user" -> {
                if (!own || inside || !handleAsked(line)) {
                    messages.handle(message(line, from));
                }
                yield true;
            }
            default -> false;
        };
    }

    private static long millis(String time) {
        try {
            return Math.max(0, Instant.parse(time).toEpochMilli());
        } catch (DateTimeException | ArithmeticException none) {
            return System.currentTimeMillis();
        }
    }

    /** As standard output has it. */
    private JsonObject message(JsonObject line, Transcript from) {
        return JsonObject.builder()
                .put("type", line.text("type"))
                .put("agent_id", line.text("agentId"))
                .put("parent_tool_use_id", from.meta.text("toolUseId"))
                .put("subagent_type", from.meta.text("agentType"))
                .put("session_id", session)
                .put("message", line.object("message"))
                .put("isApiErrorMessage", line.value("isApiErrorMessage"))
                .put("tool_use_result", result(line))
                .build();
    }

    /** What a call of a sub-agent gave; only the session's own transcript says it itself. */
    private JsonObject result(JsonObject line) {
        for (JsonObject block : line.object("message").objects("content")) {
            Transcript agent = started.get(block.text("tool_use_id", ""));
            if (agent != null && !line.object("toolUseResult").has("agentId")) {
                String id = String.valueOf(agent.file.path().getFileName()).replaceAll("^agent-|\\.jsonl$", "");
                String status =
                        block.flag("is_error") ? "failed" : agent.isInBackground() ? "async_launched" : "completed";
                return JsonObject.builder()
                        .put("agentId", id)
                        .put("agentType", agent.meta.text("agentType"))
                        .put("status", status)
                        .build();
            }
        }
        return line.object("toolUseResult");
    }

    private void handleAnswer(JsonObject line) throws InterruptedException {
        JsonObject answer = line.object("message");
        String id = answer.text("id", "");
        if (!last.isEmpty() && !last.equals(id)) {
            endTurn();
        }
        if (!introduced) {
            introduced = true;
            messages.handle(JsonObject.builder()
                    .put("type", "system")
                    .put("subtype", "init")
                    .put("session_id", session)
                    .put("claude_code_version", line.text("version"))
                    .put("model", answer.text("model"))
                    .build());
        }
        turn.begin();
        tokens.put(id, answer.object("usage"));
        if (!GOES_ON.contains(answer.text("stop_reason", ""))) {
            last = id;
            failed = line.flag("isApiErrorMessage");
        }
    }

    /** @return whether it is a person's message, or one that Claude Code wrote in its name */
    private boolean handleAsked(JsonObject line) throws InterruptedException {
        JsonObject asked = line.object("message");
        List<JsonObject> blocks = asked.objects("content");
        String text = asked.text(
                "content",
                blocks.stream()
                        .filter(block -> block.text("type", "").equals("text"))
                        .map(block -> block.text("text", ""))
                        .collect(Collectors.joining("\n")));
        if (blocks.stream().anyMatch(block -> block.text("type", "").equals("tool_result"))) {
            return false;
        }
        endTurn();
        if (text.startsWith(INTERRUPTED)) {
            last = turn.cancel() ? INTERRUPTED : "";
        } else if (text.startsWith(NOTIFICATION)) {
            messages.handle(JsonObject.builder()
                    .put("type", "system")
                    .put("subtype", "task_notification")
                    .put("task_id", within(text, "task-id"))
                    .put("status", within(text, "status"))
                    .put("summary", within(text, "summary"))
                    .build());
        } else if (!line.flag("isMeta") && !text.isEmpty()) {
            frames.asked(line.text("uuid", "transcript"), text);
            turn.begin();
        }
        return true;
    }

    /** What stands in the first element of that name; null where there is none. */
    private static @Nullable String within(String text, String element) {
        int begin = text.indexOf("<" + element + ">") + element.length() + 2;
        int end = text.indexOf("</" + element + ">");
        return begin < element.length() + 2 || end < begin ? null : text.substring(begin, end);
    }

    private void endTurn() throws InterruptedException {
        if (last.isEmpty()) {
            return;
        }
        last = "";
        List<JsonObject> spent = new ArrayList<>(tokens.values());
        tokens.clear();
        JsonObject.Builder usage = JsonObject.builder();
        for (String kind :
                List.of("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")) {
            usage.put(kind, sum(spent, kind));
        }
        messages.handle(JsonObject.builder()
                .put("type", "result")
                .put("subtype", "success")
                .put("is_error", failed)
                .put("usage", usage.build())
                .build());
        failed = false;
    }

    private static long sum(List<JsonObject> spent, String kind) {
        return spent.stream()
                .mapToLong(tokens -> Math.max(0, tokens.number(kind, 0)))
                .sum();
    }
}
