package brig.client;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A gateway: starts sessions and goes on with them. Any thread may use it.
 *
 * <pre>{@code
 * try (Brig brig = Brig.local(); Session session = brig.start(SpawnRequest.of("shell", "make test"))) {
 *     System.out.print(session.text());
 * }
 * }</pre>
 *
 * <p>Over HTTP: {@code Brig.at(URI.create("http://127.0.0.1:7070"), token)}.
 */
public final class Brig implements AutoCloseable {
    /** How long an answer to a spawn is waited for that nobody wants any more. */
    private static final Duration LATE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Gateway gateway;
    private final Session.Options options;
    private final ExecutorService executor = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "brig-client");
        thread.setDaemon(true);
        return thread;
    });

    private Brig(Gateway gateway, Session.Options options) {
        this.gateway = gateway;
        this.options = options;
    }

    /** The gateway of this user, at its usual Unix socket. */
    public static Brig local() {
        return new Builder(null, null, null).build();
    }

    /** The gateway with that spawner socket. */
    public static Brig at(Path spawnerSocket) {
        return builder(spawnerSocket).build();
    }

    /** The gateway at {@code http://HOST:PORT} or {@code https://…}, with a token that may start sessions. */
    public static Brig at(URI url, String token) {
        return builder(url, token).build();
    }

    public static Builder builder(Path spawnerSocket) {
        return new Builder(spawnerSocket, null, null);
    }

    public static Builder builder(URI url, String token) {
        return new Builder(null, url, token);
    }

    /** How a client works; what is not set is as {@link Brig#local()} has it. */
    public static final class Builder {
        private final @Nullable Path socket;
        private final @Nullable URI url;
        private final @Nullable String token;
        private @Nullable Integer maxLatencyMs;
        private long bufferBytes = 1_048_576;
        private Timeouts timeouts = Timeouts.DEFAULT;

        private Builder(@Nullable Path socket, @Nullable URI url, @Nullable String token) {
            this.socket = socket;
            this.url = url;
            this.token = token;
        }

        /** Takes text merged: small chunks that come within so many milliseconds (0 to 1000) come as one. */
        public Builder maxLatencyMs(int milliseconds) {
            maxLatencyMs = milliseconds;
            return this;
        }

        /** How much may wait for its reader before Brig holds the agent back. 1 MiB if it is not set. */
        public Builder bufferBytes(long bytes) {
            bufferBytes = bytes;
            return this;
        }

        public Builder timeouts(Timeouts times) {
            timeouts = times;
            return this;
        }

        public Brig build() {
            Session.Options options = new Session.Options(maxLatencyMs, bufferBytes, timeouts);
            if (url != null && token != null) {
                return new Brig(new HttpGateway(url, token), options);
            }
            return new Brig(new UnixGateway(socket == null ? usualSocket() : socket), options);
        }

        private static Path usualSocket() {
            String runtime = System.getenv("XDG_RUNTIME_DIR");
            if ("root".equals(System.getProperty("user.name"))) {
                return Path.of("/run/agent-spawner/spawner.sock");
            }
            if (runtime != null && runtime.startsWith("/")) {
                return Path.of(runtime, "brig/spawner.sock");
            }
            throw new BrigException("INVALID_FIELD", "there is no XDG_RUNTIME_DIR: name the spawner socket");
        }
    }

    /**
     * Starts a session, connects to it, and sends it the prompt, if there is one. What fails on the way ends it. If the
     * answer is lost, the same request goes again under its request id, and starts nothing more.
     *
     * @throws BrigException what Brig refuses it with: UNKNOWN_AGENT, MAX_WORKERS with a retry hint…
     */
    public Session start(SpawnRequest request) {
        Frame answer = spawn(request);
        Session session = new Session(answer, null, Position.BEGINNING, gateway, options, executor);
        try {
            session.open();
            String prompt = request.prompt();
            if (prompt != null) {
                session.send(prompt);
            }
            return session;
        } catch (RuntimeException e) {
            session.leave();
            abandon(answer, e);
            throw e;
        }
    }

    /** {@link #start} without waiting. */
    public CompletionStage<Session> startAsync(SpawnRequest request) {
        return CompletableFuture.supplyAsync(() -> start(request), executor);
    }

    /**
     * Follows a session that somebody started, as its captain.
     *
     * @param id any name of the session
     * @param position of an earlier session, or {@link Position#BEGINNING}
     */
    public Session attach(String id, Position position) {
        return new Session(status(id), null, position, gateway, options, executor).open();
    }

    /** Follows a session without a say in it, and without holding the agent back. */
    public Session watch(String id, Position position) {
        return new Session(status(id), "watcher", position, gateway, options, executor).open();
    }

    /** {@link #attach} without waiting. */
    public CompletionStage<Session> attachAsync(String id, Position position) {
        return CompletableFuture.supplyAsync(() -> attach(id, position), executor);
    }

    /** The view of a session: {@code state}, {@code workspace}, {@code last_seq}… */
    public Frame status(String id) {
        return require(ask("status", Map.of("id", id)), "spawn_id", "task_id");
    }

    /** Ends a session. To end it twice is no failure. */
    public Frame terminate(String id) {
        return ask("terminate", Map.of("id", id));
    }

    /** What agents ask now, the ask with the nearest deadline first: of all sessions that the caller may read. */
    public List<Frame> asks() {
        return asks(Map.of());
    }

    /** The same of one session and of those that work for it. */
    public List<Frame> asks(String session) {
        return asks(Map.of("tree", session));
    }

    private List<Frame> asks(Map<String, String> fields) {
        Frame answer = ask("asks", fields);
        if (!(answer.fields().get("asks") instanceof List<?>)) {
            throw new BrigException("PROTOCOL_VIOLATION", "the answer to asks has no asks");
        }
        return answer.frames("asks");
    }

    /** {@link #asks()} without waiting. */
    public CompletionStage<List<Frame>> asksAsync() {
        return CompletableFuture.supplyAsync(this::asks, executor);
    }

    /**
     * Answers an ask with the id of an option.
     *
     * @throws BrigException ASK_SETTLED where somebody else, the deadline or the agent was faster
     */
    public void answer(String askId, String option) {
        ask("answer_ask", choice("id", askId, "option", option, null));
    }

    /** The same in own words. */
    public void answerInWords(String askId, String text) {
        ask("answer_ask", choice("id", askId, "text", text, null));
    }

    /** {@link #answer} without waiting. */
    public CompletionStage<@Nullable Void> answerAsync(String askId, String option) {
        return CompletableFuture.runAsync(() -> answer(askId, option), executor);
    }

    /** Ends the threads of calls that do not wait. Sessions go on, with and without this client. */
    @Override
    public void close() {
        executor.shutdown();
    }

    static Map<String, @Nullable Object> choice(
            String name, String askId, String kind, String value, @Nullable String action) {
        if (!askId.matches("ask_[0-9a-z]{24}")) {
            throw new BrigException("INVALID_FIELD", "an ask_id is ask_ and 24 characters 0-9 a-z");
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("action", action);
        fields.put(name, askId);
        fields.put(kind, value);
        fields.remove("action", null);
        return fields;
    }

    private Frame ask(String action, Map<String, ? extends @Nullable Object> fields) {
        return gateway.ask(action, fields, options.timeouts().answer());
    }

    private Frame spawn(SpawnRequest request) {
        Duration limit = options.timeouts().spawn().plusSeconds(request.waitSeconds());
        CompletableFuture<Frame> asked =
                CompletableFuture.supplyAsync(() -> persist(request.body(), limit.plus(LATE)), executor);
        try {
            return asked.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BrigException refused
                    ? refused
                    : new BrigException("INTERNAL", "the spawn", e);
        } catch (TimeoutException e) {
            executor.execute(() -> abandonLate(asked, e));
            throw new BrigException("TIMEOUT", "the spawn took longer than " + limit, e);
        } catch (InterruptedException e) {
            executor.execute(() -> abandonLate(asked, e));
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    /** Asks again where the answer was lost. */
    private Frame persist(Map<String, @Nullable Object> body, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean isLost = false;
        while (true) {
            try {
                Frame answer = gateway.ask("spawn", body, Duration.ofNanos(end - System.nanoTime()));
                return require(answer, "spawn_id", "task_id");
            } catch (BrigException e) {
                isLost |= e.code().equals("CONNECTION_LOST");
                if (!isLost || !e.isPassing() || !e.code().startsWith("CONNECTION_") || System.nanoTime() > end) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        Future<?> alarm = Gateway.after(PAUSE, () -> over.complete(null));
        over.join();
        alarm.cancel(false);
    }

    /** Ends a session that nobody got. */
    private void abandon(Frame answer, Exception why) {
        try {
            ask("terminate", Map.of("id", answer.text("spawn_id", "")));
        } catch (BrigException e) {
            // The gateway is gone, as the first failure says.
            why.addSuppressed(e);
        }
    }

    private void abandonLate(CompletableFuture<Frame> asked, Exception why) {
        try {
            abandon(asked.join(), why);
        } catch (CompletionException e) {
            // Nothing came of it.
            why.addSuppressed(e);
        }
    }

    private static Frame require(Frame answer, String... names) {
        for (String name : names) {
            if (answer.text(name) == null) {
                throw new BrigException("PROTOCOL_VIOLATION", "the answer has no " + name);
            }
        }
        return answer;
    }
}
