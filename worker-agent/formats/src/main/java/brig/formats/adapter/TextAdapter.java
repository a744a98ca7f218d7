package brig.formats.adapter;

import brig.protocol.wire.ChunkEncoder;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;

/** Adapter for any program: its output is text, its input is lines. */
public final class TextAdapter implements Adapter {
    @Override
    public Dialogue open(Context context) {
        return new Dialogue() {
            @Override
            public OutputReader reader(Pipe pipe) {
                return text(pipe, context.frames());
            }

            /** Writes the content and a newline; newlines inside make it several lines. */
            @Override
            public boolean send(String content) {
                return context.input().test((content + "\n").getBytes(StandardCharsets.UTF_8));
            }
        };
    }

    @Override
    public boolean asks() {
        return false;
    }

    @Override
    public boolean hasTurns() {
        return false;
    }

    /** A reader for a pipe that carries text. */
    static OutputReader text(Pipe pipe, FrameSink frames) {
        ChunkEncoder encoder =
                new ChunkEncoder(pipe.wireName(), (bytes, length) -> frames.append(FrameType.CHUNK, bytes, length));
        return new OutputReader() {
            @Override
            public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
                encoder.encode(bytes, offset, count, nowMs);
            }

            @Override
            public void finish(long nowMs) throws InterruptedException {
                encoder.finish(nowMs);
            }
        };
    }
}
