package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import brig.protocol.json.JsonObject;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Reads the output of an agent that another program controls: standard output, and transcripts where their place is
 * known. Calls may come from any thread, one at a time.
 */
public final class TrackedOutputReader implements OutputReader {
    /** Handles an agent's lines, and reads its transcripts besides standard output. */
    public interface TranscriptSource extends NativeReader.Handler {
        /** Reads what was appended to the transcripts. */
        void look() throws InterruptedException;
    }

    private final AgentFrames frames;
    private final NativeReader reader;
    private final TranscriptSource transcripts;
    private final ReentrantLock lock = new ReentrantLock();

    public TrackedOutputReader(FrameSink sink, Function<AgentFrames, NativeReader.Handler> format) {
        frames = new AgentFrames(sink);
        NativeReader.Handler handler = format.apply(frames);
        reader = new NativeReader(frames, false, handler);
        transcripts = handler instanceof TranscriptSource more ? more : new NoTranscript();
    }

    @Override
    public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            reader.read(bytes, offset, count, nowMs);
        } finally {
            lock.unlock();
        }
    }

    /** Reads the transcripts; called periodically while the agent runs. */
    public void look(long nowMs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            frames.at(nowMs);
            transcripts.look();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finish(long nowMs) throws InterruptedException {
        look(nowMs);
        lock.lockInterruptibly();
        try {
            reader.finish(nowMs);
        } finally {
            lock.unlock();
        }
    }

    private static final class NoTranscript implements TranscriptSource {
        @Override
        public boolean handle(JsonObject message) {
            return true;
        }

        @Override
        public void look() {}
    }
}
