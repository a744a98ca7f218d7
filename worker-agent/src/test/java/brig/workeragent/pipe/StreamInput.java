package brig.workeragent.pipe;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Semaphore;

/** A pipe whose other end is in the test: a thread writes the stream. */
public final class StreamInput implements InputPipe {
    private final OutputStream stream;
    private final Semaphore resumed = new Semaphore(0);

    public StreamInput(OutputStream stream) {
        this.stream = stream;
    }

    @Override
    public void start(Writer writer) {
        Thread.ofVirtual().start(() -> write(writer));
    }

    private void write(Writer writer) {
        try (stream) {
            byte[] next = writer.next();
            while (next != null || !writer.isOver()) {
                if (next == null) {
                    resumed.acquire();
                } else {
                    stream.write(next);
                    stream.flush();
                }
                next = writer.next();
            }
            writer.handleEnd(null);
        } catch (IOException | InterruptedException e) {
            writer.handleEnd(e);
        }
    }

    @Override
    public void resume() {
        resumed.release();
    }

    @Override
    public OutputStream stream() {
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
