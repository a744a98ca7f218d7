package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the standard output of an agent that writes one JSON object per line. A line that is not JSON, or not
 * understood, becomes a {@code raw} frame and never ends the worker.
 */
public final class NativeReader implements OutputReader {
    /** Handles the objects in order, for one adapter. */
    public interface Handler {
        /** False if the adapter does not know the object's type. */
        boolean handle(JsonObject message) throws InterruptedException;

        /** No more objects will come. */
        default void handleEnd() throws InterruptedException {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(NativeReader.class);

    private final AgentFrames frames;
    private final boolean raw;
    private final Handler handler;
    private final NativeLines lines;

    /** @param raw whether every line also makes a {@code raw} frame */
    public NativeReader(AgentFrames frames, boolean raw, Handler handler) {
        this.frames = frames;
        this.raw = raw;
        this.handler = handler;
        this.lines = new NativeLines(new NativeLines.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) throws InterruptedException {
                readLine(bytes, offset, length);
            }

            @Override
            public void handleLongLine(byte[] bytes, int length) throws InterruptedException {
                frames.error("LINE_TOO_LONG", "the agent wrote a line that is too long to be read");
                frames.truncated(new String(bytes, 0, length, StandardCharsets.UTF_8));
            }
        });
    }

    /** A reader for a pipe that carries text, such as standard error. */
    public static OutputReader ofText(Pipe pipe, FrameSink frames) {
        return TextAdapter.text(pipe, frames);
    }

    @Override
    public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
        frames.at(nowMs);
        lines.read(bytes, offset, count);
    }

    @Override
    public void finish(long nowMs) throws InterruptedException {
        frames.at(nowMs);
        lines.finish();
        handler.handleEnd();
    }

    private void readLine(byte[] bytes, int offset, int length) throws InterruptedException {
        JsonObject message = NativeJson.readOutput(bytes, offset, length);
        if (message == null || raw) {
            String line = new String(bytes, offset, length, StandardCharsets.UTF_8);
            if (message == null) {
                frames.malformed(line);
            } else {
                frames.raw(line);
            }
        }
        if (message != null && !understood(message) && !raw) {
            frames.raw(new String(bytes, offset, length, StandardCharsets.UTF_8));
        }
    }

    /** Catches what the adapter throws: one unexpected line must not stop the agent's output. */
    private boolean understood(JsonObject message) throws InterruptedException {
        try {
            return handler.handle(message);
        } catch (RuntimeException e) {
            LOG.error("the adapter failed on a line of the agent", e);
            return false;
        }
    }
}
