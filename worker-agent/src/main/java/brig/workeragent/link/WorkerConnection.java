package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import brig.workeragent.pump.Outbox;
import brig.workeragent.worker.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's connection to a worker's socket. Of two virtual threads, the one that runs this reads lines, the other
 * writes frames. Neither waits for the other, so a gateway that does not read can still acknowledge and cancel.
 */
final class WorkerConnection implements LineDecoder.Sink, AutoCloseable {
    /** Gives the worker's frames to a connection, and ends the previous one. */
    interface Opener {
        Outbox.Reader open(WorkerConnection connection, long seq);
    }

    private static final Logger LOG = LoggerFactory.getLogger(WorkerConnection.class);
    /** A captain's message inside its envelope. */
    private static final int LINE_BYTES_MAX = Limits.MESSAGE_BYTES_MAX + 4096;

    private final Worker worker;
    private final SocketChannel channel;
    private final Opener opener;

    // Owned by the reading thread.
    private Outbox.@Nullable Reader frames;
    private boolean refused;

    WorkerConnection(Worker worker, SocketChannel channel, Opener opener) {
        this.worker = worker;
        this.channel = channel;
        this.opener = opener;
    }

    /** Serves the gateway until it disconnects. */
    void run() {
        try {
            Lines.read(channel, new LineDecoder(LINE_BYTES_MAX, this));
        } catch (IOException e) {
            LOG.debug("connection ended spawn_id={}: {}", worker.spawnId(), e.toString());
        } finally {
            if (frames != null) {
                frames.close();
            }
        }
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        if (refused) {
            return;
        }
        try {
            WorkerLine line = Json.read(bytes, offset, length, WorkerLine.class);
            if (frames == null) {
                resume(line);
            } else {
                handle(line);
            }
        } catch (BrigException e) {
            refuse(e.code() + " " + e.getMessage());
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        refuse(code.name());
    }

    private void resume(WorkerLine line) {
        long next = line.resume();
        if (next == 0) {
            throw BrigException.invalid("resume", "must come first");
        }
        Outbox.Reader reader = opener.open(this, next);
        frames = reader;
        LOG.info("gateway connected spawn_id={} resume={}", worker.spawnId(), next);
        Thread.ofVirtual().name("frames-" + worker.spawnId()).start(() -> write(reader));
    }

    private void handle(WorkerLine line) {
        if (line.ack() > 0) {
            worker.ack(line.ack());
        }
        Message input = line.input();
        if (input != null) {
            worker.input(input);
        }
        if (line.cancel()) {
            worker.cancel();
        }
    }

    private void write(Outbox.Reader reader) {
        try {
            for (List<ByteBuffer> batch = reader.take(); !batch.isEmpty(); batch = reader.take()) {
                Lines.write(channel, batch.toArray(ByteBuffer[]::new));
            }
        } catch (IOException e) {
            LOG.debug("writing ended spawn_id={}: {}", worker.spawnId(), e.toString());
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuse(String why) {
        refused = true;
        LOG.warn("gateway sent a bad line, closing spawn_id={}: {}", worker.spawnId(), why);
        close();
    }

    /** Ends the connection; both threads follow. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("close failed spawn_id={}: {}", worker.spawnId(), e.toString());
        }
    }
}
