package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.json.Json;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.LineDecoder;
import brig.workeragent.pump.Outbox;
import brig.workeragent.relay.Lines;
import brig.workeragent.worker.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's connection to a worker. Whoever appends a frame writes it, and what else is there; a full socket is left to
 * the loop of links, so nobody waits for a gateway that does not read. That one can still acknowledge and cancel.
 *
 * <p>Decision 0174.
 */
final class WorkerConnection implements LineDecoder.Sink, LinkLoop.Handler, Outbox.Follower {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerConnection.class);
    /** A captain's message inside its envelope. */
    private static final int LINE_BYTES_MAX = Limits.MESSAGE_BYTES_MAX + 4096;
    /** After so many the other connections of the loop have their turn. */
    private static final int TURN_BYTES_MAX = 1024 * 1024;

    private static final ByteBuffer[] NOTHING = {};

    private final Worker worker;
    private final SocketChannel channel;
    private final LineDecoder decoder = new LineDecoder(LINE_BYTES_MAX, this);
    /** How often somebody wanted to write since the one who writes began; above 0 nobody else may. */
    private final AtomicInteger wanted = new AtomicInteger(1);
    /** Whether the loop says when to go on. */
    private volatile boolean waits;

    /** Null until nobody blocks on the channel. */
    private volatile LinkLoop.@Nullable Link link;

    /** Owned by the one who writes. */
    private ByteBuffer[] unsent = NOTHING;

    // Owned by the thread that reads.
    private boolean refused;
    private Outbox.@Nullable Reader frames;

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
    void run(LinkLoop loop, long resume, ByteBuffer before) throws IOException {
        try (Outbox.Reader reader = worker.outbox().open(resume, this)) {
            LOG.info("gateway connected spawn_id={} resume={}", worker.spawnId(), resume);
            byte[] early = new byte[before.remaining()];
            before.get(early);
            decoder.decode(early, 0, early.length);
            frames = reader;
            LinkLoop.Link mine = loop.add(channel, this);
            link = mine;
            loop.refresh();
            writeAll(reader, mine);
            mine.awaitEnd();
        }
    }

    @Override
    public void handleBytes(byte[] bytes, int count) {
        decoder.decode(bytes, 0, count);
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
        String keys = line.keys();
        if (keys != null) {
            worker.keys(keys);
        }
        TerminalSize size = line.resize();
        if (size != null) {
            worker.resize(size);
        }
        if (line.cancel()) {
            worker.cancel();
        }
    }

    @Override
    public void handleNews(Outbox.Reader reader) {
        LinkLoop.Link mine = link;
        if (wanted.getAndIncrement() == 0 && mine != null) {
            writeAll(reader, mine);
        }
    }

    @Override
    public void handleRoom() {
        Outbox.Reader reader = frames;
        waits = false;
        if (reader != null) {
            handleNews(reader);
        }
    }

    private void writeAll(Outbox.Reader reader, LinkLoop.Link mine) {
        int seen = wanted.get();
        while (seen > 0) {
            write(reader, mine);
            seen = wanted.addAndGet(-seen);
        }
    }

    private void write(Outbox.Reader reader, LinkLoop.Link mine) {
        try {
            for (long sent = 0; !waits && hasMore(reader); ) {
                sent += channel.write(unsent);
                if (unsent[unsent.length - 1].hasRemaining() || sent > TURN_BYTES_MAX) {
                    waits = true;
                    mine.awaitRoom();
                }
            }
        } catch (IOException e) {
            LOG.debug("writing ended spawn_id={}: {}", worker.spawnId(), e.toString());
            close();
        }
    }

    private boolean hasMore(Outbox.Reader reader) throws IOException {
        if (unsent.length == 0 || !unsent[unsent.length - 1].hasRemaining()) {
            unsent = reader.poll().toArray(NOTHING);
        }
        return unsent.length > 0;
    }

    @Override
    public void handleEnd() {
        close();
    }

    private void refuse(String why) {
        refused = true;
        LOG.warn("gateway sent a bad line, closing spawn_id={}: {}", worker.spawnId(), why);
        close();
    }

    private void close() {
        LinkLoop.Link mine = link;
        if (mine == null) {
            Lines.close(channel);
        } else {
            mine.close();
        }
    }
}
