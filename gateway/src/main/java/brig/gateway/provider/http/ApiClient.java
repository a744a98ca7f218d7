package brig.gateway.provider.http;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.websocket.Handshake;
import brig.gateway.provider.websocket.WebSocket;
import brig.gateway.time.VertxTimers;
import brig.protocol.Reason;
import brig.protocol.address.AddressGuard;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Requests and WebSockets to one provider. Each is a connection of its own, with TLS, to an address that was judged; no
 * redirect is followed, and no proxy of the environment is used. May be called on any thread; results complete on the
 * event loop, failed ones with a {@link ProviderFailure}.
 */
public final class ApiClient implements AutoCloseable {
    /** Until TCP and TLS are there. */
    private static final int CONNECT_MS = 10_000;

    private static final long LOOKUP_MS = 10_000;
    private static final long ALIVE_MS = 5_000;
    private static final int CONNECTIONS_MAX = 64;
    private static final int WAITING_MAX = 512;

    private final ApiSettings settings;
    private final Function<String, Map<String, String>> keyHeader;
    private final Destinations destinations;
    private final KeyFile keyFile;
    private final Vertx vertx;
    private final Executor loop;
    private final Executor blocking;
    private final HttpClient client;
    private final HttpClient upgrading;
    private final Retries retries;

    /**
     * @param keyHeader makes of the key the header that proves it
     * @param loop the event loop
     * @param blocking runs what may block for a while
     */
    public ApiClient(
            ApiSettings settings,
            Function<String, Map<String, String>> keyHeader,
            Vertx vertx,
            Executor loop,
            Executor blocking) {
        this(settings, keyHeader, InetAddress::getAllByName, vertx, loop, blocking);
    }

    /** @param lookup in place of this host's */
    ApiClient(
            ApiSettings settings,
            Function<String, Map<String, String>> keyHeader,
            Destinations.Lookup lookup,
            Vertx vertx,
            Executor loop,
            Executor blocking) {
        this.settings = settings;
        this.keyHeader = keyHeader;
        this.vertx = vertx;
        this.loop = loop;
        this.blocking = blocking;
        destinations = new Destinations(lookup, new AddressGuard(), settings.networks());
        keyFile = new KeyFile(settings.keyFile());
        retries =
                new Retries(new VertxTimers(vertx), () -> System.nanoTime() / 1_000_000, new SecureRandom()::nextLong);
        X509TrustManager trust = Roots.with(settings.roots());
        client = client(trust, false);
        upgrading = client(trust, true);
    }

    /** @param keepAlive false has each request say that its connection is to be closed, which none may that upgrades it */
    private HttpClient client(X509TrustManager trust, boolean keepAlive) {
        return vertx.httpClientBuilder()
                .with(new HttpClientOptions()
                        .setSsl(true)
                        .setTrustOptions(TrustOptions.wrap(trust))
                        .setVerifyHost(true)
                        .setUseAlpn(false)
                        .setKeepAlive(keepAlive)
                        .setTcpKeepAlive(true)
                        .setConnectTimeout(CONNECT_MS)
                        .setDecompressionSupported(false))
                .with(new PoolOptions().setHttp1MaxSize(CONNECTIONS_MAX).setMaxWaitQueueSize(WAITING_MAX))
                .build();
    }

    public Location server() {
        return settings.server();
    }

    /** The answer, which is a good one. */
    public CompletionStage<ApiAnswer> send(ApiCall call) {
        return call.repeatable()
                ? retries.run(() -> begin(call).answer())
                : begin(call).answer();
    }

    /** One attempt, which can be ended. */
    public Sending begin(ApiCall call) {
        Sending sending = new Sending();
        prepare(call).whenCompleteAsync((way, failure) -> sending.begin(call, way, failure), loop);
        return sending;
    }

    /** A request under way. */
    public final class Sending {
        private final CompletableFuture<ApiAnswer> answer = new CompletableFuture<>();
        private @Nullable Exchange exchange;

        public CompletionStage<ApiAnswer> answer() {
            return answer;
        }

        private void begin(ApiCall call, Exchange.Way way, @Nullable Throwable failure) {
            if (failure != null) {
                answer.completeExceptionally(ProviderFailure.of(failure));
            } else if (!answer.isDone()) {
                exchange = new Exchange(vertx, client, loop, withKey(call, way), way);
                exchange.send().whenComplete((got, why) -> {
                    if (why == null) {
                        answer.complete(got);
                    } else {
                        answer.completeExceptionally(why);
                    }
                });
            }
        }

        /** Ends it. On any thread. */
        public void cancel() {
            loop.execute(() -> {
                if (exchange != null) {
                    exchange.cancel();
                }
                answer.completeExceptionally(new ProviderFailure(Kind.LOST, "it was ended here"));
            });
        }
    }

    /** Opens a WebSocket. Blocks; not for the event loop. @throws IOException in words for people */
    public WebSocket webSocket(ApiCall call) throws IOException {
        Handshake handshake = new Handshake();
        CompletionStage<SocketStreams> opened = prepare(call)
                .thenComposeAsync(
                        way -> new Exchange(
                                        vertx, upgrading, loop, withKey(call.headers(handshake.headers()), way), way)
                                .upgrade(handshake),
                        loop);
        WebSocket socket = new WebSocket(await(opened));
        vertx.setPeriodic(ALIVE_MS, tick -> {
            if (!socket.checkAlive()) {
                vertx.cancelTimer(tick);
            }
        });
        return socket;
    }

    /** Completes after so long, on the event loop. */
    public CompletionStage<@Nullable Void> pass(long ms) {
        CompletableFuture<@Nullable Void> passed = new CompletableFuture<>();
        vertx.setTimer(ms, done -> loop.execute(() -> passed.complete(null)));
        return passed;
    }

    /** What a call led to, for a thread that may block. @throws IOException in words for people */
    public static <T extends @Nullable Object> T await(CompletionStage<T> result) throws IOException {
        try {
            return result.toCompletableFuture().get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(ProviderFailure.of(cause == null ? e : cause).getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** What a step of a conversation needs. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException;
    }

    /** Ends the socket if the step takes longer. On the thread of the caller. */
    public void within(long ms, WebSocket socket, Step step) throws IOException {
        long timer = vertx.setTimer(ms, late -> socket.cut("no answer within " + ms + " ms"));
        try {
            step.run();
        } finally {
            vertx.cancelTimer(timer);
        }
    }

    private ApiCall withKey(ApiCall call, Exchange.Way way) {
        return call.withKey() ? call.headers(keyHeader.apply(way.key())) : call;
    }

    /** What may block. */
    private CompletionStage<Exchange.Way> prepare(ApiCall call) {
        return CompletableFuture.supplyAsync(
                        () -> new Exchange.Way(destinations.of(call.at().host()), call.withKey() ? keyFile.read() : ""),
                        blocking)
                .orTimeout(LOOKUP_MS, TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Reason.cause(failure) instanceof TimeoutException
                                ? new ProviderFailure(
                                        Kind.UNREACHED, call.at().host() + " was not looked up within 10 s")
                                : ProviderFailure.of(failure)));
    }

    @Override
    public void close() {
        client.close();
        upgrading.close();
    }
}
