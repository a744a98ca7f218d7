package brig.gateway.provider.http;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.websocket.Handshake;
import brig.protocol.Reason;
import brig.protocol.VisibleText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a request. Until a connection is there, what goes wrong is without effect; afterwards nobody knows. Owned
 * by the event loop.
 */
final class Exchange {
    /**
     * What was found out before a request.
     *
     * @param addresses judged, to be tried in order
     * @param key empty for a request without one
     */
    record Way(List<InetAddress> addresses, String key) {
        /** The key is a secret. */
        @Override
        public String toString() {
            return addresses.toString();
        }
    }

    static final int BODY_BYTES_MAX = 4 * 1024 * 1024;
    /** Until the head of an answer without a deadline. */
    private static final long HEAD_MS = 30_000;

    /** Of an answer without a deadline. */
    private static final long SILENCE_MS = 60_000;

    private static final int CHUNK = 64 * 1024;
    /** Of an answer in place of an upgrade. */
    private static final int REFUSAL_BYTES_MAX = 16 * 1024;

    private final Vertx vertx;
    private final HttpClient client;
    private final Executor loop;
    private final ApiCall call;
    private final Way way;
    private final CompletableFuture<ApiAnswer> answer = new CompletableFuture<>();
    private final CompletableFuture<SocketStreams> streams = new CompletableFuture<>();
    private final Buffer kept = Buffer.buffer();
    private final long timer;
    private @Nullable HttpClientRequest request;

    Exchange(Vertx vertx, HttpClient client, Executor loop, ApiCall call, Way way) {
        this.vertx = vertx;
        this.client = client;
        this.loop = loop;
        this.call = call;
        this.way = way;
        long deadlineMs = call.deadlineMs() == 0 ? HEAD_MS : call.deadlineMs();
        timer = vertx.setTimer(
                deadlineMs,
                late -> fail(new ProviderFailure(
                        request == null ? Kind.UNREACHED : Kind.LOST, "no answer within " + deadlineMs + " ms")));
    }

    /** Sends it; the whole answer. */
    CompletionStage<ApiAnswer> send() {
        connect(0, this::send);
        return answer;
    }

    /** Sends it; the connection that it became. */
    CompletionStage<SocketStreams> upgrade(Handshake handshake) {
        connect(
                0,
                connected -> connected
                        .connect()
                        .onSuccess(response -> handleUpgraded(response, handshake))
                        .onFailure(failure -> fail(lost(failure))));
        return streams;
    }

    /** Ends it, whatever is under way. */
    void cancel() {
        fail(new ProviderFailure(Kind.LOST, "it was ended here"));
    }

    private void connect(int number, Consumer<HttpClientRequest> then) {
        RequestOptions options = new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(
                        call.at().port(), way.addresses().get(number).getHostAddress()))
                .setHost(call.at().host())
                .setPort(call.at().port())
                .setSsl(true)
                .setMethod(HttpMethod.valueOf(call.method()))
                .setURI(call.at().path() + call.path())
                .setFollowRedirects(false);
        if (call.deadlineMs() == 0) {
            options.setIdleTimeout(SILENCE_MS);
        }
        call.headers().forEach(options::putHeader);
        client.request(options)
                .onSuccess(connected -> {
                    request = connected;
                    // Without one, Vert.x logs the end of each connection as an error.
                    connected.exceptionHandler(failure -> fail(lost(failure)));
                    if (isDone()) {
                        reset();
                    } else {
                        then.accept(connected);
                    }
                })
                .onFailure(failure -> {
                    ProviderFailure why = unreached(failure);
                    if (why.kind() == Kind.UNREACHED
                            && number + 1 < way.addresses().size()
                            && !isDone()) {
                        connect(number + 1, then);
                    } else {
                        fail(why);
                    }
                });
    }

    private void send(HttpClientRequest connected) {
        connected.response().onSuccess(this::read).onFailure(failure -> fail(lost(failure)));
        Body body = call.body();
        if (body == null) {
            sent(connected.end());
            return;
        }
        connected.putHeader("Content-Type", body.type()).putHeader("Content-Length", String.valueOf(body.bytes()));
        Thread.startVirtualThread(() -> {
            try (InputStream from = body.content().open()) {
                pump(connected, body, from);
            } catch (IOException e) {
                loop.execute(() -> fail(new ProviderFailure(Kind.LOST, Reason.withFile(e))));
            }
        });
    }

    /** Sends the body, one piece after the other was taken. */
    private void pump(HttpClientRequest connected, Body body, InputStream from) throws IOException {
        long sent = 0;
        for (byte[] piece = from.readNBytes(CHUNK); piece.length > 0; piece = from.readNBytes(CHUNK)) {
            CompletableFuture<@Nullable Void> taken = new CompletableFuture<>();
            Buffer buffer = Buffer.buffer(piece);
            loop.execute(() -> connected.write(buffer).onComplete(done -> {
                if (done.succeeded()) {
                    taken.complete(null);
                } else {
                    taken.completeExceptionally(done.cause());
                }
            }));
            try {
                taken.join();
            } catch (CompletionException e) {
                throw new IOException("it was not taken: " + Reason.cause(e).getMessage(), e);
            }
            sent += piece.length;
            long soFar = sent;
            loop.execute(() -> body.sent().accept(soFar));
        }
        loop.execute(() -> sent(connected.end()));
    }

    private void sent(Future<Void> sending) {
        sending.onFailure(failure -> fail(lost(failure)));
    }

    private void read(HttpClientResponse response) {
        boolean streamed = call.output() != null && response.statusCode() / 100 == 2;
        if (streamed && call.deadlineMs() == 0) {
            vertx.cancelTimer(timer);
        }
        response.handler(part -> {
            if (streamed && call.output() != null) {
                call.output().accept(part.getBytes());
            } else {
                keep(part, BODY_BYTES_MAX);
            }
        });
        response.exceptionHandler(failure -> fail(lost(failure)));
        response.endHandler(ended -> complete(response));
    }

    private void complete(HttpClientResponse response) {
        vertx.cancelTimer(timer);
        ApiAnswer whole = new ApiAnswer(response.statusCode(), kept.getBytes(), response.getHeader("Retry-After"));
        if (whole.isGood() || call.also().contains(whole.status())) {
            answer.complete(whole);
        } else {
            fail(whole.failure(way.key()));
        }
    }

    private void keep(Buffer part, int most) {
        if (kept.length() + part.length() > most) {
            fail(new ProviderFailure(Kind.LOST, "the answer has more than " + most + " bytes"));
        } else {
            kept.appendBuffer(part);
        }
    }

    private void handleUpgraded(HttpClientResponse response, Handshake handshake) {
        if (response.statusCode() == 101 && request != null) {
            if (!handshake.isAccepted(response.getHeader("Sec-WebSocket-Accept"))) {
                fail(new ProviderFailure(Kind.LOST, "it speaks no WebSocket"));
                return;
            }
            vertx.cancelTimer(timer);
            SocketStreams opened = new SocketStreams(response.netSocket(), request.connection(), loop);
            if (!streams.complete(opened)) {
                opened.close();
            }
            return;
        }
        response.handler(part -> keep(part, REFUSAL_BYTES_MAX));
        response.exceptionHandler(failure -> fail(lost(failure)));
        response.endHandler(
                ended -> fail(new ApiAnswer(response.statusCode(), kept.getBytes(), response.getHeader("Retry-After"))
                        .failure(way.key())));
    }

    private boolean isDone() {
        return answer.isDone() || streams.isDone();
    }

    private void fail(ProviderFailure failure) {
        vertx.cancelTimer(timer);
        if (!isDone()) {
            answer.completeExceptionally(failure);
            streams.completeExceptionally(failure);
            reset();
        }
    }

    private void reset() {
        if (request != null) {
            var _ = request.reset();
            request.connection().close();
        }
    }

    private static ProviderFailure lost(Throwable failure) {
        return new ProviderFailure(Kind.LOST, said(failure));
    }

    /** Nothing of the request was sent. */
    private static ProviderFailure unreached(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException || cause instanceof SSLPeerUnverifiedException) {
                return new ProviderFailure(Kind.UNTRUSTED, "its certificate is not trusted: " + said(cause));
            }
        }
        return new ProviderFailure(Kind.UNREACHED, said(failure));
    }

    private static String said(Throwable failure) {
        String text = failure instanceof IOException io ? Reason.of(io) : failure.getMessage();
        return VisibleText.of(
                text == null || text.isEmpty() ? failure.getClass().getSimpleName() : text);
    }
}
