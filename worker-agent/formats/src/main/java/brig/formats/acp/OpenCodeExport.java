package brig.formats.acp;

import static brig.formats.adapter.AgentFrames.fields;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.NativeObject;
import brig.formats.adapter.SessionFile;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
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

    private final NativeObject export;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final OpenCodeRun run;
    private boolean told;

    private OpenCodeExport(NativeObject export, AgentFrames frames, FrameSink sink) {
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
        NativeObject export = NativeObject.read(Files.readAllBytes(file));
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
        for (NativeObject message : told ? List.<NativeObject>of() : export.objects("messages")) {
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

    private boolean handleAsked(NativeObject message) throws InterruptedException {
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

    private boolean handleAnswer(NativeObject message) throws InterruptedException {
        String session = export.object("info").text("id", "");
        for (NativeObject part : message.objects("parts")) {
            String type = part.text("type", "");
            run.handle(NativeObject.of(fields(
                    "type",
                    type.equals("tool") ? "tool_use" : type.replace('-', '_'),
                    "sessionID",
                    session,
                    "part",
                    part.asMap())));
        }
        if (message.object("info").has("error")) {
            run.handle(NativeObject.of(fields(
                    "type",
                    "error",
                    "sessionID",
                    session,
                    "error",
                    message.object("info").object("error").asMap())));
            turn.end(true, null);
        }
        return !message.objects("parts").isEmpty();
    }
}
