package brig.workeragent.pipe;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A pipe whose other end is in the test: a thread reads the stream. */
public final class StreamPipe implements OutputPipe {
    private final InputStream stream;
    private final Semaphore resumed = new Semaphore(0);

    public StreamPipe(InputStream stream) {
        this.stream = stream;
    }

    @Override
    public void start(Reader reader) {
        Thread.ofVirtual().start(() -> read(reader));
    }

    private void read(Reader reader) {
        try (stream) {
            byte[] bytes = new byte[64 * 1024];
            for (int count = 0; count >= 0; ) {
                for (long pauseMs = reader.pauseMs(); pauseMs > 0; pauseMs = reader.pauseMs()) {
                    var _ = resumed.tryAcquire(pauseMs, TimeUnit.MILLISECONDS);
                }
                count = stream.read(bytes);
                if (count > 0) {
                    reader.handleBytes(bytes, count);
                }
            }
            reader.handleEnd(null);
        } catch (IOException | InterruptedException e) {
            reader.handleEnd(e);
        }
    }

    @Override
    public void resume() {
        resumed.release();
    }

    @Override
    public InputStream stream() {
        return stream;
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
