package brig.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An agent at work, and what it says. Each frame comes once and in order, over any number of lost connections and restarts
 * of the gateway; frames that are gone come as a {@code gap}. While more than {@code bufferBytes} wait for their reader,
 * Brig holds the agent back. One thread at a time reads; any may call the rest.
 *
 * <pre>{@code
 * try (Session session = brig.start(SpawnRequest.of("claude", "Make the tests pass."))) {
 *     for (Frame frame : session) {
 *         if (frame.type().equals("ask")) {
 *             session.answer(frame.text("ask_id", ""), "allow");
 *         } else if (frame.type().equals("done")) {
 *             break;
 *         }
 *     }
 *     session.send("And now the documentation.");
 *     String said = session.text();
 * }
 * }</pre>
 */
public final class Session implements Iterable<Frame>, AutoCloseable {
    private static final long PAUSE_MS_MIN = 10;
    private static final long PAUSE_MS_MAX = 1_000;
    /** Beyond {@code bufferBytes}, while an answer is due: it stands behind no more than what Brig has queued. */
    private static final long BEHIND_BYTES_MAX = 64L * 1_048_576;

    private final String spawnId;
    private final String taskId;
    private final @Nullable String workspace;
    private final @Nullable String role;
    private final Gateway gateway;
    private final Options options;
    private final Executor executor;
    private final Thread thread;
    private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();

    // Guarded by lock.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Queued> queue = new ArrayDeque<>();
    private long queuedBytes;
    private @Nullable Connection connection;
    private boolean over;
    private boolean left;
    private @Nullable BrigException failure;
    private Position position;
    private @Nullable Frame lastDone;
    private boolean terminated;

    /** Of the thread that follows the session. */
    private final Progress progress;

    /** How sessions are followed. */
    record Options(@Nullable Integer maxLatencyMs, long bufferBytes, Timeouts timeouts) {}

    private record Queued(Frame frame, int bytes, Position behind) {}

    Session(
            Frame place,
            @Nullable String role,
            Position position,
            Gateway gateway,
            Options options,
            Executor executor) {
        spawnId = place.text("spawn_id", "");
        taskId = place.text("task_id", "");
        workspace = place.text("workspace");
        this.role = role;
        this.position = position;
        this.gateway = gateway;
        this.options = options;
        this.executor = executor;
        progress = new Progress(position);
        thread = new Thread(this::follow, "brig-" + spawnId);
        thread.setDaemon(true);
    }

    /** Waits until the session has let us in. */
    Session open() {
        thread.start();
        await(opened, options.timeouts().ready().plus(options.timeouts().answer()), "connecting to the session");
        return this;
    }

    public String spawnId() {
        return spawnId;
    }

    public String taskId() {
        return taskId;
    }

    /** The folder that it works in, where it is known. */
    public @Nullable String workspace() {
        return workspace;
    }

    /** Behind the last frame that was taken from here: give it to {@link Brig#attach} to go on in another process. */
    public Position position() {
        return locked(() -> position);
    }

    /** The newest {@code done} that was received. */
    public @Nullable Frame lastDone() {
        lock.lock();
        try {
            return lastDone;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the last frame, {@code state terminated}, was received. */
    public boolean isTerminated() {
        return locked(() -> terminated);
    }

    /**
     * The next frame; null behind the last one. Waits.
     *
     * @throws BrigException FRAMES_LOST, PROTOCOL_VIOLATION, TIMEOUT where no connection could be made again…
     */
    public @Nullable Frame next() {
        return next(() -> false);
    }

    /** The same; null also where nobody wants it any more. */
    @Nullable
    Frame next(BooleanSupplier unwanted) {
        lock.lock();
        try {
            while (queue.isEmpty() && !over && !unwanted.getAsBoolean()) {
                changed.await();
            }
            Queued next = unwanted.getAsBoolean() ? null : queue.poll();
            if (next != null) {
                queuedBytes -= next.bytes();
                position = next.behind();
                changed.signalAll();
                return next.frame();
            }
            if (failure != null && !unwanted.getAsBoolean()) {
                throw failure;
            }
            return null;
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            lock.unlock();
        }
    }

    /** The frames from here on. Reading may stop and begin again: it goes on with the next frame. */
    @Override
    public Iterator<Frame> iterator() {
        return new Iterator<>() {
            private @Nullable Frame ahead;

            @Override
            public boolean hasNext() {
                ahead = ahead == null ? Session.this.next() : ahead;
                return ahead != null;
            }

            @Override
            public Frame next() {
                if (!hasNext() || ahead == null) {
                    throw new NoSuchElementException();
                }
                Frame frame = ahead;
                ahead = null;
                return frame;
            }
        };
    }

    /** The frames from here on, as many as the subscriber asks for. One subscriber at a time. */
    public Flow.Publisher<Frame> publisher() {
        return new FramePublisher(this, executor);
    }

    /**
     * Reads up to the next {@code done}, and returns what the agent itself said until then.
     *
     * @throws BrigException with the text so far: MESSAGE_FAILED or the agent's own code, FRAMES_LOST, SESSION_ENDED
     */
    public String text() {
        Hearing heard = new Hearing();
        for (Frame frame = next(); frame != null; frame = next()) {
            if (heard.hear(frame)) {
                return heard.text();
            }
        }
        throw heard.ended();
    }

    /** {@link #text} without waiting. */
    public CompletionStage<String> textAsync() {
        return CompletableFuture.supplyAsync(this::text, executor);
    }

    /**
     * Sends a user message; returns when Brig has taken it. Where the connection is lost before that is known, it is sent
     * again under its {@code message_id}, under which Brig takes it once.
     *
     * @throws BrigException CONTROL_HELD, INPUT_NOT_ACCEPTED, SESSION_ENDED…; TIMEOUT: nobody knows whether it arrived
     */
    public void send(String content) {
        Map<String, String> message = Map.of(
                "role",
                "user",
                "content",
                content,
                "message_id",
                UUID.randomUUID().toString());
        while (true) {
            try {
                tell(message);
                return;
            } catch (BrigException e) {
                if (!e.code().equals("CONNECTION_LOST")) {
                    throw e;
                }
            }
        }
    }

    /** {@link #send} without waiting. */
    public CompletionStage<@Nullable Void> sendAsync(String content) {
        return CompletableFuture.runAsync(() -> send(content), executor);
    }

    /**
     * Answers an ask of this session, or of one that works for it, with the id of an option.
     *
     * @throws BrigException ASK_SETTLED where somebody else, the deadline or the agent was faster; CONNECTION_LOST where only
     *     the frame {@code answered} can say
     */
    public void answer(String askId, String option) {
        tell(Brig.choice("ask_id", askId, "option", option, "answer_ask"));
    }

    /** The same in own words. */
    public void answerInWords(String askId, String text) {
        tell(Brig.choice("ask_id", askId, "text", text, "answer_ask"));
    }

    /** {@link #answer} without waiting. */
    public CompletionStage<@Nullable Void> answerAsync(String askId, String option) {
        return CompletableFuture.runAsync(() -> answer(askId, option), executor);
    }

    /** Interrupts the message that is being worked off; its {@code done} still comes. */
    public void cancel() {
        tell(Map.of("action", "cancel"));
    }

    /** {@link #cancel} without waiting. */
    public CompletionStage<@Nullable Void> cancelAsync() {
        return CompletableFuture.runAsync(this::cancel, executor);
    }

    /** Ends the session; its last frames still come. */
    public void terminate() {
        if (isTerminated()) {
            return;
        }
        try {
            tell(Map.of("action", "terminate"));
        } catch (BrigException e) {
            if (!isTerminated()) {
                gateway.ask(
                        "terminate", Map.of("id", spawnId), options.timeouts().answer());
            }
        }
    }

    /** {@link #terminate} without waiting. */
    public CompletionStage<@Nullable Void> terminateAsync() {
        return CompletableFuture.runAsync(this::terminate, executor);
    }

    /** Leaves, and forgets what was not read; the agent goes on. */
    public void leave() {
        Connection last;
        lock.lock();
        try {
            left = true;
            queue.clear();
            queuedBytes = 0;
            last = connection;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        end(null);
        if (last != null) {
            last.close();
        }
    }

    /** Ends the session where this client is its captain, and leaves. */
    @Override
    public void close() {
        try {
            if (role == null) {
                terminate();
            }
        } finally {
            leave();
        }
    }

    private void tell(Map<String, ? extends @Nullable Object> line) {
        Connection current = connected();
        CompletableFuture<@Nullable Void> taken = new CompletableFuture<>();
        executor.execute(() -> current.tell(line, taken, this::signal));
        await(taken, options.timeouts().answer(), "waiting for Brig to take a message");
    }

    private Connection connected() {
        lock.lock();
        try {
            while (connection == null && !over) {
                changed.await();
            }
            if (over || connection == null) {
                throw new BrigException("SESSION_ENDED", "the session is over");
            }
            return connection;
        } catch (InterruptedException e) {
            throw interrupted();
        } finally {
            lock.unlock();
        }
    }

    private static void await(CompletableFuture<@Nullable Void> future, Duration limit, String what) {
        try {
            future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // Nobody waits for it any more: it keeps no connection reading.
            future.cancel(false);
            throw new BrigException("TIMEOUT", what + " took longer than " + limit, e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BrigException failed ? failed : new BrigException("INTERNAL", what, e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static CancellationException interrupted() {
        Thread.currentThread().interrupt();
        return new CancellationException("interrupted");
    }

    /** Reads from one connection after the other, until the end or a failure. */
    private void follow() {
        try {
            Duration limit = options.timeouts().ready();
            while (!progress.isAtEnd() && !hasLeft()) {
                Connection made = connectWithin(limit);
                limit = options.timeouts().reconnect();
                try {
                    set(made);
                    opened.complete(null);
                    readAll(made);
                } catch (BrigException e) {
                    if (!e.code().equals("CONNECTION_LOST")) {
                        throw e;
                    }
                } finally {
                    made.close();
                    set(null);
                }
            }
            end(null);
        } catch (BrigException e) {
            end(e);
        } catch (InterruptedException | RuntimeException e) {
            end(new BrigException("INTERNAL", "the session cannot be followed", e));
        }
    }

    private Connection connectWithin(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (long pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
            long restMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            try {
                return connect(Duration.ofMillis(Math.max(1, restMs)));
            } catch (BrigException e) {
                if (!e.isPassing() || hasLeft()) {
                    throw e;
                }
                Double hint = e.retryAfterSeconds();
                long waitMs = hint != null && hint > 0
                        ? (long) (hint * 1_000)
                        : ThreadLocalRandom.current().nextLong(pauseMs / 2, pauseMs + 1);
                if (waitMs >= restMs) {
                    throw new BrigException("TIMEOUT", "connecting took longer than " + limit, e);
                }
                pause(waitMs);
            }
        }
    }

    private void pause(long waitMs) throws InterruptedException {
        lock.lock();
        try {
            long restNanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
            while (restNanos > 0 && !left) {
                restNanos = changed.awaitNanos(restNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private Connection connect(Duration limit) {
        Wire wire = gateway.attach(new Gateway.Hello(spawnId, progress.next(), options.maxLatencyMs(), role), limit);
        Future<?> alarm = Gateway.after(limit, wire::close);
        Connection made = new Connection(wire);
        try {
            Frame welcome = made.welcome();
            Frame gap = progress.enter(welcome);
            if (gap != null) {
                put(gap, 0);
            }
            if (welcome.number("from", 0) > progress.next()) {
                throw new BrigException("CONNECTION_LOST", "the stream begins anew");
            }
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        } finally {
            alarm.cancel(false);
        }
    }

    private void readAll(Connection from) throws InterruptedException {
        while (!progress.isAtEnd() && awaitRoom(from)) {
            Connection.Message message = from.message();
            if (progress.admit(message.frame())) {
                put(message.frame(), message.bytes());
            }
        }
    }

    /** Waits until something may be read; false if nobody reads any more. */
    private boolean awaitRoom(Connection from) throws InterruptedException {
        lock.lock();
        try {
            while (!left && queuedBytes > options.bufferBytes() && !from.isWaiting()) {
                changed.await();
            }
            if (queuedBytes > options.bufferBytes() + BEHIND_BYTES_MAX) {
                throw new BrigException("PROTOCOL_VIOLATION", "Brig sends on and on, and does not answer");
            }
            return !left;
        } finally {
            lock.unlock();
        }
    }

    private void put(Frame frame, int bytes) {
        lock.lock();
        try {
            if (!left) {
                queue.add(new Queued(frame, bytes, progress.position()));
                queuedBytes += bytes;
            }
            lastDone = frame.type().equals("done") && frame.has("seq") ? frame : lastDone;
            terminated = progress.isAtEnd();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void set(@Nullable Connection current) {
        lock.lock();
        try {
            connection = current;
            changed.signalAll();
            if (current != null && left) {
                current.close();
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable BrigException cause) {
        lock.lock();
        try {
            if (!over) {
                over = true;
                failure = cause;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        opened.completeExceptionally(cause == null ? new BrigException("SESSION_ENDED", "the session is over") : cause);
    }

    /** Something changed that somebody may wait for. */
    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasLeft() {
        return locked(() -> left);
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    /** JSON of {@code spawn_id} and {@code task_id}. */
    @Override
    public String toString() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", spawnId);
        shown.put("task_id", taskId);
        return Json.write(shown);
    }
}
