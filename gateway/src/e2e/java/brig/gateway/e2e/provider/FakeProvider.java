package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.gateway.e2e.provider.Call.Answer;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * A provider of sandboxes on 127.0.0.1, over TLS: its books, its faults, and what tests count. What the requests are is
 * the matter of the classes that extend it.
 *
 * <p>Requests come on an event loop of Vert.x, and are answered by a virtual thread each.
 */
public abstract class FakeProvider implements AutoCloseable {
    public static final String TOKEN = "test-token-of-a-provider";
    private static final String METADATA = "https://169.254.169.254/latest/meta-data/";
    private static final int BODY_BYTES_MAX = 1024 * 1024;
    private static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

    final Vertx vertx = Vertx.vertx();
    final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final LongSupplier clockMs;
    private volatile FakeSandbox.Image image;
    private final Faults faults = new Faults();
    /** Also those that ended; guarded by itself, as are the counts. */
    private final List<Rented> books = new ArrayList<>();

    private final Map<String, Integer> creates = new HashMap<>();
    private final Map<Operation, Integer> requests = new EnumMap<>(Operation.class);
    private int destroys;
    private volatile boolean isClosed;

    /** @param clockMs the time by which sandboxes age, expire and are seen */
    FakeProvider(TestCertificate certificate, LongSupplier clockMs, String user) {
        this.clockMs = clockMs;
        image = new FakeSandbox.Image(user, Map.of());
        server = vertx.createHttpServer(new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(false)
                .setKeyCertOptions(certificate.options())
                .setMaxWebSocketFrameSize(MESSAGE_BYTES_MAX)
                .setMaxWebSocketMessageSize(MESSAGE_BYTES_MAX));
        server.requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    abstract Operation operation(Call call);

    abstract boolean isAuthorized(Call call);

    /** What else than an answer to a whole body it begins, on the event loop. @return whether it did */
    abstract boolean begins(Call call, Faults.Cut cut);

    abstract Answer answer(Call call, JsonObject body) throws IOException;

    abstract Answer refusal(int status, String code, String message);

    // ---- for tests

    public int port() {
        return server.actualPort();
    }

    public String url() {
        return "https://127.0.0.1:" + port();
    }

    public Faults faults() {
        return faults;
    }

    /** How many sandboxes were made with that name, label or metadata ({@code key=value}). */
    public int creates(String nameOrTag) {
        synchronized (books) {
            return creates.getOrDefault(nameOrTag, 0);
        }
    }

    public int destroys() {
        synchronized (books) {
            return destroys;
        }
    }

    public int requests(Operation operation) {
        synchronized (books) {
            return requests.getOrDefault(operation, 0);
        }
    }

    /** The names of the sandboxes that cost money now, without those that were planted. */
    public List<String> alive() {
        return find(rented -> !rented.isForeign && !rented.hasEnded()).stream()
                .map(rented -> rented.name)
                .toList();
    }

    /** From now on sandboxes have those folders of this machine, by where they are there. */
    public void setFolders(Map<String, Path> folders) {
        image = new FakeSandbox.Image(image.user(), folders);
    }

    /** A sandbox of somebody else in the same account. */
    public void plant(String name, String... tags) {
        add(name, List.of(tags), true);
    }

    /** What was done to sandboxes of others; looking at them does not count. */
    public int touchesOfForeign() {
        return find(rented -> rented.isForeign).stream()
                .mapToInt(Rented::touches)
                .sum();
    }

    /** The wall of a living sandbox. */
    public FakeSandbox wall(String name) throws IOException {
        return alive(rented -> rented.name.equals(name)).orElseThrow().wall();
    }

    /** Ends it as a provider may at any time. */
    public void lose(String name) throws IOException {
        for (Rented rented : find(rented -> rented.name.equals(name))) {
            rented.end(nowMs());
        }
    }

    // ---- the books

    long nowMs() {
        return clockMs.getAsLong();
    }

    private List<Rented> find(Predicate<Rented> which) {
        synchronized (books) {
            return books.stream().filter(which).toList();
        }
    }

    Optional<Rented> alive(Predicate<Rented> which) {
        return find(which.and(rented -> !rented.hasEnded())).stream().findFirst();
    }

    /** Those that finding and listing show: what was alive a while ago, if they lag. */
    List<Rented> seen() {
        long at = nowMs() - faults.lagMs();
        return find(rented -> rented.isAliveAt(at));
    }

    abstract String newId();

    Rented add(String name, List<String> tags, boolean isForeign) {
        Rented rented = new Rented(newId(), name, tags, nowMs(), isForeign, image);
        synchronized (books) {
            books.add(rented);
            if (!isForeign) {
                rented.keys().forEach(key -> creates.merge(key, 1, Integer::sum));
            }
        }
        return rented;
    }

    void destroy(Rented rented) throws IOException {
        if (rented.end(nowMs())) {
            synchronized (books) {
                destroys++;
            }
        }
    }

    private void endWhatExpired() throws IOException {
        for (Rented rented : find(rented -> !rented.hasEnded() && rented.endsMs() <= nowMs())) {
            rented.end(nowMs());
        }
    }

    /** Closes the connection at once, with no word in any protocol; Vert.x itself would say goodbye to a WebSocket. */
    static void cut(HttpConnection connection) {
        Channel channel = ((ConnectionBase) connection).channel();
        channel.eventLoop().execute(() -> channel.unsafe().close(channel.newPromise()));
    }

    /** Unless it is closed before. */
    void later(long ms, Runnable action) {
        if (!isClosed) {
            vertx.setTimer(ms, timer -> threads.execute(action));
        }
    }

    // ---- requests

    private void handle(HttpServerRequest request) {
        Call call = Call.of(request);
        Operation operation = operation(call);
        synchronized (books) {
            requests.merge(operation, 1, Integer::sum);
        }
        Optional<Fault> fault = faults.draw(operation);
        Optional<Answer> refused = fault.flatMap(this::refusal);
        if (fault.equals(Optional.of(Fault.LOST_BEFORE))) {
            cut(request.connection());
            return;
        }
        if (refused.isEmpty() && !isAuthorized(call)) {
            refused = refusal(Fault.TOKEN_EXPIRED);
        }
        if (refused.isPresent()) {
            send(request.response(), refused.get());
            return;
        }
        boolean isLost = fault.equals(Optional.of(Fault.LOST_AFTER));
        if (!begins(call, isLost ? Faults.Cut.AT_ONCE : faults.cut(operation))) {
            takeBody(call, isLost);
        }
    }

    private Optional<Answer> refusal(Fault fault) {
        return switch (fault) {
            case LOST_BEFORE, LOST_AFTER -> Optional.empty();
            case RATE_LIMITED -> Optional.of(rateLimited());
            case UNAVAILABLE -> Optional.of(refusal(503, "unavailable", "try again later"));
            case TOKEN_EXPIRED -> Optional.of(refusal(401, "INVALID_API_KEY", "the token is missing or invalid"));
            case REDIRECTED -> Optional.of(new Answer(307, "", Map.of("Location", METADATA)));
        };
    }

    abstract Answer rateLimited();

    private void takeBody(Call call, boolean isLost) {
        Context context = vertx.getOrCreateContext();
        Buffer body = Buffer.buffer();
        call.request().handler(piece -> {
            if (body.length() + piece.length() > BODY_BYTES_MAX) {
                call.request().connection().close();
            } else {
                body.appendBuffer(piece);
            }
        });
        call.request()
                .endHandler(ended -> threads.execute(() -> {
                    Answer answer = answerOf(call, body);
                    if (isClosed) {
                        return;
                    }
                    context.runOnContext(now -> {
                        if (isLost) {
                            cut(call.request().connection());
                        } else {
                            send(call.request().response(), answer);
                        }
                    });
                }));
    }

    private Answer answerOf(Call call, Buffer body) {
        try {
            endWhatExpired();
            return answer(call, Call.json(body));
        } catch (BrigException | IllegalArgumentException e) {
            return refusal(400, "INVALID_REQUEST", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return refusal(500, "INTERNAL_ERROR", String.valueOf(e.getMessage()));
        }
    }

    static void send(HttpServerResponse response, Answer answer) {
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(answer.status());
        answer.headers().forEach(response::putHeader);
        switch (answer.body()) {
            case JsonObject object ->
                response.putHeader("Content-Type", "application/json").end(Buffer.buffer(Json.write(object)));
            case List<?> objects ->
                response.putHeader("Content-Type", "application/json").end(lines(objects, "[", ",", "]"));
            case byte[] bytes ->
                response.putHeader("Content-Type", "application/octet-stream").end(Buffer.buffer(bytes));
            default -> response.end(answer.body().toString());
        }
    }

    /** Objects as text, with what stands around them. */
    static String lines(List<?> objects, String before, String between, String after) {
        return before
                + String.join(
                        between,
                        objects.stream()
                                .map(object -> new String(Json.write((JsonObject) object), UTF_8))
                                .toList())
                + after;
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        server.close().toCompletionStage().toCompletableFuture().join();
        for (Rented rented : find(rented -> !rented.hasEnded())) {
            rented.end(nowMs());
        }
        threads.shutdown();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
