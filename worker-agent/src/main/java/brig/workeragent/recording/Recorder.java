package brig.workeragent.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.formats.adapter.Adapter.OutputReader;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the data of one agent's pipes with its timing, a line per piece: {@code {"t":ms,"pipe":"stdout", "text":…}},
 * or {@code "base64"} if the piece is not valid text. A write failure ends the recording, not the worker. Thread-safe.
 *
 * <p>Decision 0065.
 */
public final class Recorder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);
    /** Limit of the recording; further data is not recorded. */
    private static final long BYTES_MAX = 256L * 1024 * 1024;

    private final LongSupplier clock;
    private final long startMs;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final OutputStream file;
    private long left = BYTES_MAX;

    Recorder(OutputStream file, String agent, String adapter, LongSupplier clock) {
        this.file = file;
        this.clock = clock;
        this.startMs = clock.getAsLong();
        put(new CassetteHead(1, agent, adapter));
    }

    /** Wraps a reader so that everything it reads is recorded first. */
    public OutputReader recorded(String pipe, OutputReader reader) {
        return new OutputReader() {
            @Override
            public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
                piece(pipe, bytes, offset, count);
                reader.read(bytes, offset, count, nowMs);
            }

            @Override
            public void finish(long nowMs) throws InterruptedException {
                reader.finish(nowMs);
            }
        };
    }

    public void piece(String pipe, byte[] bytes, int offset, int count) {
        long atMs = clock.getAsLong() - startMs;
        try {
            String text = UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes, offset, count))
                    .toString();
            put(new CassetteEntry(atMs, pipe, text, null, null));
        } catch (CharacterCodingException noText) {
            byte[] whole = Arrays.copyOfRange(bytes, offset, offset + count);
            put(new CassetteEntry(atMs, pipe, null, Base64.getEncoder().encodeToString(whole), null));
        }
    }

    public void exit(int code) {
        put(new CassetteEntry(clock.getAsLong() - startMs, null, null, null, code));
    }

    private void put(Record entry) {
        byte[] line = Json.writeLine(entry);
        lock.lock();
        try {
            if (left >= line.length) {
                left -= line.length;
                file.write(line);
                file.flush();
            } else {
                left = 0;
            }
        } catch (IOException e) {
            left = 0;
            LOG.warn("a recording ended early: {}", e.toString());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("a recording was not closed: {}", e.toString());
        } finally {
            left = 0;
            lock.unlock();
        }
    }
}
