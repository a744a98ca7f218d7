package brig.cli;

import brig.formats.adapter.FrameSink;
import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.api.Answers;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the output of an agent that Brig did not start to the gateway. It never blocks an agent: frames are queued
 * up to a limit, and when the gateway is too slow or gone, publishing ends and a person is told once. Reading from a
 * file can wait.
 *
 * <p>One thread appends; one writes to the gateway, one reads its acknowledgements.
 *
 * <p>Decision 0070.
 */
final class TrackPublisher implements FrameSink, AutoCloseable {
    private static final long QUEUED_BYTES_MAX = 16L * 1024 * 1024;
    private static final long FAREWELL_MS = 5_000;

    /**
     * A line of the gateway.
     *
     * @param ack the last recorded frame; null in an error
     */
    @Extensible
    private record Recorded(@Nullable Long ack, @Nullable String error) {}

    private final GatewayClient client;
    private final Consumer<String> note;
    private final String spawnId;
    /** Whether {@link #append} waits for the gateway; if not, agents never wait. */
    private final boolean patient;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private long queuedBytes;
    private long seq;
    private long recordedSeq;
    private boolean broken;
    /** Whether the last frame is in the queue. */
    private boolean finishing;

    private boolean closed;

    private TrackPublisher(GatewayClient client, String spawnId, boolean patient, Consumer<String> note) {
        this.client = client;
        this.spawnId = spawnId;
        this.patient = patient;
        this.note = note;
    }

    /**
     * Begins a session at the gateway.
     *
     * @param patient whether frames wait for a slow gateway; else publishing ends
     * @throws BrigException if it is refused
     */
    static TrackPublisher open(
            GatewayClient client,
            String agent,
            @Nullable String taskId,
            String folder,
            boolean patient,
            Consumer<String> note) {
        SpawnerRequest.Track request = new SpawnerRequest.Track(agent, taskId, folder);
        TrackPublisher publisher = new TrackPublisher(
                client, client.request(request, Answers.Tracked.class).spawnId(), patient, note);
        Thread.ofVirtual().name("to-gateway").start(publisher::write);
        Thread.ofVirtual().name("from-gateway").start(publisher::read);
        publisher.put(new Frame.State(Frame.State.RUNNING, null));
        return publisher;
    }

    String spawnId() {
        return spawnId;
    }

    @Override
    public void append(FrameType type, byte[] body, int length) {
        lock.lock();
        try {
            while (patient && !broken && queuedBytes > QUEUED_BYTES_MAX) {
                changed.awaitUninterruptibly();
            }
            if (broken) {
                return;
            }
            if (queuedBytes > QUEUED_BYTES_MAX) {
                giveUp("the gateway takes too little");
                return;
            }
            byte[] head =
                    ("{\"type\":\"" + type.wireName() + "\",\"seq\":" + ++seq).getBytes(StandardCharsets.US_ASCII);
            byte[] line = new byte[head.length + length];
            System.arraycopy(head, 0, line, 0, head.length);
            System.arraycopy(body, 0, line, head.length, length);
            queue.add(line);
            queuedBytes += line.length;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void put(Frame frame) {
        byte[] body = Frames.body(System.currentTimeMillis(), frame);
        append(frame.type(), body, body.length);
    }

    /** Whether the gateway still accepts frames. */
    boolean goesOn() {
        lock.lock();
        try {
            return !broken;
        } finally {
            lock.unlock();
        }
    }

    /** The agent's process, or its output, has ended. Waits a while until that is recorded. */
    void finish(int exitCode) throws InterruptedException {
        put(new Frame.Done(exitCode, null, null, null));
        finish();
    }

    /** As above, if each turn reported its own end. */
    void finish() throws InterruptedException {
        put(new Frame.State(Frame.State.TERMINATED, "completed"));
        lock.lock();
        try {
            finishing = true;
            long nanos = TimeUnit.MILLISECONDS.toNanos(FAREWELL_MS);
            while (!broken && recordedSeq < seq && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (!broken && recordedSeq < seq) {
                giveUp("the gateway did not record the end");
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    private void write() {
        try {
            for (byte[] line = next(); line != null; line = next()) {
                client.send(line);
            }
        } catch (BrigException e) {
            handleLost(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next line to write; null at the end. */
    private byte @Nullable [] next() throws InterruptedException {
        lock.lock();
        try {
            while (queue.isEmpty() && !broken && !closed) {
                changed.await();
            }
            byte[] line = queue.poll();
            queuedBytes -= line == null ? 0 : line.length;
            changed.signalAll();
            return line;
        } finally {
            lock.unlock();
        }
    }

    private void read() {
        try {
            for (byte[] line = client.nextLine(); line != null; line = client.nextLine()) {
                handle(line);
            }
            handleLost("the gateway ended the session");
        } catch (BrigException e) {
            handleLost(e.getMessage());
        }
    }

    private void handle(byte[] line) {
        Recorded answer = Json.read(line, Recorded.class);
        if (answer.ack() != null) {
            lock.lock();
            try {
                recordedSeq = answer.ack();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        } else {
            handleLost(answer.error() == null ? "the gateway does not understand" : answer.error());
        }
    }

    private void handleLost(@Nullable String why) {
        lock.lock();
        try {
            if (!finishing || recordedSeq < seq) {
                giveUp(String.valueOf(why));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends publishing; the lock is held. */
    private void giveUp(String why) {
        if (!broken) {
            broken = true;
            queue.clear();
            changed.signalAll();
            note.accept(why + ": from here on the agent is not tracked, and goes on");
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
