package brig.gateway.provider.opensandbox;

import brig.gateway.provider.http.RemoteProgram;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of a program, a line each. They are called a stream of server-sent events, but are bare JSON; a {@code data:}
 * before it is taken too. Output comes in lines without their end.
 */
final class CommandEvents implements Consumer<byte[]> {
    private static final Logger log = LoggerFactory.getLogger(CommandEvents.class);
    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final int FAILED = 1;

    private final RemoteProgram program;
    private volatile @Nullable Integer exit;

    CommandEvents(RemoteProgram program) {
        this.program = program;
    }

    /** Null while it is not known. */
    @Nullable
    Integer exit() {
        return exit;
    }

    @Override
    public void accept(byte[] line) {
        boolean marked = Arrays.mismatch(line, DATA) == DATA.length;
        byte[] json = marked ? Arrays.copyOfRange(line, DATA.length, line.length) : line;
        if (json.length < 2) {
            return;
        }
        OpenSandboxMessages.Event event;
        try {
            event = Json.read(json, OpenSandboxMessages.Event.class);
        } catch (BrigException e) {
            log.debug("an event of a program in a sandbox makes no sense: {}", e.getMessage());
            return;
        }
        switch (event.type() == null ? "" : event.type()) {
            case "stdout" -> program.addOutput(ended(event.text()));
            case "stderr" -> program.addError(ended(event.text()));
            case "execution_complete" -> exit = 0;
            case "error" -> exit = code(event.error());
            default -> {}
        }
    }

    /** An empty line is said to be one of nothing but its end. */
    private static byte[] ended(@Nullable String text) {
        String line = text == null ? "" : text;
        return (line.equals("\n") ? line : line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private int code(OpenSandboxMessages.Failure failure) {
        String value = failure.evalue() == null ? "" : failure.evalue();
        if (value.matches("[0-9]{1,3}")) {
            return Integer.parseInt(value);
        }
        program.addError((failure.ename() + ": " + value).getBytes(StandardCharsets.UTF_8));
        return FAILED;
    }
}
