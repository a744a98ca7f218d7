package brig.gateway.oidc;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Requests over HTTP, with the trusted certificates of the JDK. */
public final class HttpFetch implements Fetch {
    static final long TIMEOUT_MS = 10_000;
    private static final int CONNECTIONS_MAX = 4;
    private static final int WAITING_MAX = 64;

    private final Vertx vertx;
    private final HttpClient client;

    public HttpFetch(Vertx vertx) {
        this.vertx = vertx;
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions()
                        .setKeepAlive(false)
                        .setConnectTimeout((int) TIMEOUT_MS)
                        .setDecompressionSupported(false))
                .with(new PoolOptions().setHttp1MaxSize(CONNECTIONS_MAX).setMaxWaitQueueSize(WAITING_MAX))
                .build();
    }

    @Override
    public CompletionStage<Answer> get(String url) {
        return send(HttpMethod.GET, url, Buffer.buffer(), null);
    }

    @Override
    public CompletionStage<Answer> post(String url, String form, @Nullable String authorization) {
        return send(HttpMethod.POST, url, Buffer.buffer(form), authorization);
    }

    private CompletionStage<Answer> send(HttpMethod method, String url, Buffer body, @Nullable String authorization) {
        RequestOptions options = new RequestOptions()
                .setAbsoluteURI(url)
                .setMethod(method)
                .setFollowRedirects(false)
                .putHeader("Accept", "application/json")
                .putHeader("User-Agent", "brig");
        if (method.equals(HttpMethod.POST)) {
            options.putHeader("Content-Type", "application/x-www-form-urlencoded");
        }
        if (authorization != null) {
            options.putHeader("Authorization", authorization);
        }
        Exchange exchange = new Exchange();
        client.request(options)
                .onSuccess(request -> exchange.begin(request, body))
                .onFailure(exchange::fail);
        return exchange.answer;
    }

    /** One request and its answer, ended at the latest by the timeout. Owned by the event loop. */
    private final class Exchange {
        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private final Buffer bytes = Buffer.buffer();
        private final long timer = vertx.setTimer(
                TIMEOUT_MS, late -> fail(new TimeoutException("no answer within " + TIMEOUT_MS + " ms")));
        private @Nullable HttpClientRequest request;

        void begin(HttpClientRequest begun, Buffer body) {
            request = begun;
            if (answer.isDone()) {
                reset();
                return;
            }
            begun.send(body).onSuccess(this::read).onFailure(this::fail);
        }

        private void read(HttpClientResponse response) {
            response.handler(part -> {
                if (bytes.length() + part.length() > BODY_BYTES_MAX) {
                    fail(new IOException("the answer has more than " + BODY_BYTES_MAX + " bytes"));
                } else {
                    bytes.appendBuffer(part);
                }
            });
            response.exceptionHandler(this::fail);
            response.endHandler(ended -> {
                vertx.cancelTimer(timer);
                answer.complete(new Answer(response.statusCode(), bytes.toString(StandardCharsets.UTF_8)));
            });
        }

        private void fail(Throwable failure) {
            vertx.cancelTimer(timer);
            if (answer.completeExceptionally(failure)) {
                reset();
            }
        }

        private void reset() {
            if (request != null) {
                var _ = request.reset();
            }
        }
    }
}
