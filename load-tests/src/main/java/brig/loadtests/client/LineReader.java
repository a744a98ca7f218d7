package brig.loadtests.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A session connection on a Unix socket: lines, and an end without a close message. */
public final class LineReader implements Reader {
    private final Wire wire;

    public LineReader(Wire wire) {
        this.wire = wire;
    }

    @Override
    public Event next() throws IOException {
        byte[] line = wire.line();
        return line == null ? new Event.End(true, 0, "") : Event.of(line);
    }

    @Override
    public void say(String line) throws IOException {
        sayBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public void sayBytes(byte[] bytes) throws IOException {
        wire.send(bytes);
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
