package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.AgentTurn;
import brig.formats.adapter.NativeJson;
import brig.formats.adapter.SessionFile;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code opencode export SESSION} 1.18: {@code {info, messages: [{info, parts}]}}, one session with
 * the user's messages. A sub-agent appears only as the call that started it. Owned by one thread.
 */
public final class OpenCodeExport implements SessionFile {
    private static final long BYTES_MAX = 64L * 1024 * 1024;

    @Foreign
    private record Export(Session info, @Nullable List<Message> messages) {}

    @Foreign
    private record Session(@Nullable String id, @Default("") String directory) {}

    @Foreign
    private record Message(Info info, List<Piece> parts) {}

    /** @param error null on success */
    @Foreign
    private record Info(
            @Default("export") String id,
            @Default("") String role,
            Time time,
            @Nullable OpenCodeError error) {}

    /** @param created in milliseconds since 1970 */
    @Foreign
    private record Time(@Nullable Long created) {}

    /** @param part null if its type is unknown */
    @Foreign
    private record Piece(@Flat @Nullable OpenCodePart part) {}

    private final String session;
    private final String folder;
    private final List<Message> messages;
    private final AgentFrames frames;
    private final AgentTurn turn;
    private final OpenCodeRun run;
    private boolean told;

    private OpenCodeExport(String session, String folder, List<Message> messages, AgentFrames frames) {
        this.session = session;
        this.folder = folder;
        this.messages = messages;
        this.frames = frames;
        turn = new AgentTurn(frames);
        run = new OpenCodeRun(frames);
    }

    /**
     * Reads an export; empty if the file is not one.
     *
     * @throws BrigException {@code INVALID_FIELD} if it is larger than 64 MiB
     */
    public static Optional<OpenCodeExport> read(Path file, AgentFrames frames) throws IOException {
        if (Files.size(file) > BYTES_MAX) {
            throw new BrigException(ErrorCode.INVALID_FIELD, file + " has more than " + BYTES_MAX + " bytes");
        }
        Export export = NativeJson.readLine(Files.readAllBytes(file)).as(Export.class);
        String session = export.info().id();
        return session == null || export.messages() == null
                ? Optional.empty()
                : Optional.of(new OpenCodeExport(session, export.info().directory(), export.messages(), frames));
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
        return folder;
    }

    @Override
    public boolean read() throws InterruptedException {
        boolean said = false;
        for (Message message : told ? List.<Message>of() : messages) {
            Info info = message.info();
            frames.at(
                    info.time().created() == null
                            ? System.currentTimeMillis()
                            : info.time().created());
            said |= info.role().equals("user") ? handleAsked(message) : handleAnswer(message);
        }
        told = true;
        return said;
    }

    @Override
    public void finish() throws InterruptedException {
        turn.end(false, null);
    }

    private boolean handleAsked(Message message) throws InterruptedException {
        List<String> said = new ArrayList<>();
        for (Piece piece : message.parts()) {
            if (piece.part() instanceof OpenCodePart.Text text && !text.synthetic()) {
                said.add(text.text());
            }
        }
        String text = String.join("\n", said);
        if (text.isEmpty()) {
            return false;
        }
        turn.end(false, null);
        turn.begin();
        frames.asked(message.info().id(), text);
        return true;
    }

    private boolean handleAnswer(Message message) throws InterruptedException {
        OpenCodeError error = message.info().error();
        if (error != null || !message.parts().isEmpty()) {
            run.open(session);
        }
        for (Piece piece : message.parts()) {
            if (piece.part() != null) {
                run.handlePart(piece.part());
            }
        }
        if (error != null) {
            run.handleError(error);
            turn.end(true, null);
        }
        return !message.parts().isEmpty();
    }
}
