package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import brig.workeragent.pump.Outbox;
import brig.workeragent.relay.Lines;
import brig.workeragent.worker.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's connection to a worker. Of two virtual threads, the one that runs this reads lines, the other
 * writes frames. Neither waits for the other, so a gateway that does not read can still acknowledge and cancel.
 */
final class WorkerConnection implements LineDecoder.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerConnection.class);
    /** A captain's message inside its envelope. */
    private static final int LINE_BYTES_MAX = Limits.MESSAGE_BYTES_MAX + 4096;

    private final Worker worker;
    private final SocketChannel channel;
    /** Owned by the reading thread. */
    private boolean refused;

    WorkerConnection(Worker worker, SocketChannel channel) {
        this.worker = worker;
        this.channel = channel;
    }

    /**
     * Serves the gateway until it disconnects. Ends the previous connection to the worker.
     *
     * @param resume the frame wanted next
     * @param before what came after the first line
     * @throws BrigException if that frame cannot come next
     */
    void run(long resume, ByteBuffer before) {
        try (Outbox.Reader frames = worker.outbox().open(resume, () -> Lines.close(channel))) {
            LOG.info("gateway connected spawn_id={} resume={}", worker.spawnId(), resume);
            Thread.ofVirtual().name("frames-" + worker.spawnId()).start(() -> write(frames));
            Lines.read(channel, before, new LineDecoder(LINE_BYTES_MAX, this));
        } catch (IOException e) {
            LOG.debug("connection ended spawn_id={}: {}", worker.spawnId(), e.toString());
        }
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        if (refused) {
            return;
        }
        try {
            handle(Json.read(bytes, offset, length, WorkerLine.class));
        } catch (BrigException e) {
            refuse(e.code() + " " + e.getMessage());
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        refuse(code.name());
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
            Lines.close(channel);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuse(String why) {
        refused = true;
        LOG.warn("gateway sent a bad line, closing spawn_id={}: {}", worker.spawnId(), why);
        Lines.close(channel);
    }
}
