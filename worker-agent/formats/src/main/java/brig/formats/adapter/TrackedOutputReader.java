package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import brig.protocol.json.JsonObject;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Reads what an agent writes that somebody else talks with: its standard output, and what it writes elsewhere where that
 * is known. Any thread may call; one call is over before the next begins.
 */
public final class TrackedOutputReader implements OutputReader {
    /** What an agent's lines become, where there is more to be read than its standard output. */
    public interface TranscriptSource extends NativeReader.Handler {
        /** Looks whether something was written there. */
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

    /** To be called now and then, while the agent runs. */
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
