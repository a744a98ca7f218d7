package brig.formats.acp;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.SessionFile;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What {@code opencode export SESSION} 1.18 writes: {@code {info, messages: [{info, parts}]}}, one session with what it was
 * asked. Of a sub-agent there is the call that started it. Owned by one thread.
 */
public final class OpenCodeExport implements SessionFile {
    private static final long BYTES_MAX = 64L * 1024 * 1024;

    private final JsonObject export;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final OpenCodeRun run;
    private boolean told;

    private OpenCodeExport(JsonObject export, AgentFrames frames, FrameSink sink) {
        this.export = export;
        this.frames = frames;
        AgentTask nothing = new AgentTask("/", null, null, null, false, false);
        turn = new AgentTurn(frames, new Context(sink, bytes -> false, () -> {}, nothing));
        run = new OpenCodeRun(frames);
    }

    /**
     * Empty where the file is none.
     *
     * @throws BrigException {@code INVALID_FIELD} where it is larger than 64 MiB
     */
    public static Optional<OpenCodeExport> read(Path file, AgentFrames frames, FrameSink sink) throws IOException {
        if (Files.size(file) > BYTES_MAX) {
            throw new BrigException(ErrorCode.INVALID_FIELD, file + " has more than " + BYTES_MAX + " bytes");
        }
        JsonObject export = NativeJson.readLine(Files.readAllBytes(file));
        boolean known = export.object("info").has("id") && export.has("messages");
        return known ? Optional.of(new OpenCodeExport(export, frames, sink)) : Optional.empty();
    }

    @Override
    public boolean grows() {
        return false;
    }

    @Override
    public String program() {
        return "opencode";
    }

    @Override
    public String folder() {
        return export.object("info").text("directory", "");
    }

    @Override
    public boolean read() throws InterruptedException {
        boolean said = false;
        for (JsonObject message : told ? List.<JsonObject>of() : export.objects("messages")) {
            frames.at(message.object("info").object("time").number("created", System.currentTimeMillis()));
            said |= message.object("info").text("role", "").equals("user")
                    ? handleAsked(message)
                    : handleAnswer(message);
        }
        told = true;
        return said;
    }

    @Override
    public void finish() throws InterruptedException {
        turn.end(false, null);
    }

    private boolean handleAsked(JsonObject message) throws InterruptedException {
        String text = message.objects("parts").stream()
                .filter(part -> part.text("type", "").equals("text"))
                .filter(part -> !part.flag("synthetic"))
                .map(part -> part.text("text", ""))
                .collect(Collectors.joining("\n"));
        if (text.isEmpty()) {
            return false;
        }
        turn.end(false, null);
        turn.begin();
        frames.asked(message.object("info").text("id", "export"), text);
        return true;
    }

    private boolean handleAnswer(JsonObject message) throws InterruptedException {
        String session = export.object("info").text("id", "");
        for (JsonObject part : message.objects("parts")) {
            String type = part.text("type", "");
            run.handle(JsonObject.builder()
                    .put("type", type.equals("tool") ? "tool_use" : type.replace('-', '_'))
                    .put("sessionID", session)
                    .put("part", part)
                    .build());
        }
        if (message.object("info").has("error")) {
            run.handle(JsonObject.builder()
                    .put("type", "error")
                    .put("sessionID", session)
                    .put("error", message.object("info").object("error"))
                    .build());
            turn.end(true, null);
        }
        return !message.objects("parts").isEmpty();
    }
}
