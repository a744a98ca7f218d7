package brig.gateway.webhook;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends notices over HTTP. Redirects are not followed, and the body of an answer is not kept. */
public final class HttpPost implements Webhook.Post {
    static final long TIMEOUT_MS = 5_000;
    /** Bytes of an answer that are read, so that its connection may end well. */
    static final int ANSWER_BYTES_MAX = 64 * 1024;

    private final Vertx vertx;
    private final HttpClient client;
    private final RequestOptions options;

    public HttpPost(Vertx vertx, String url) {
        this.vertx = vertx;
        this.options = new RequestOptions()
                .setAbsoluteURI(url)
                .setMethod(HttpMethod.POST)
                .setFollowRedirects(false)
                .putHeader("Content-Type", "application/json")
                .putHeader("User-Agent", "brig");
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions().setKeepAlive(false).setConnectTimeout((int) TIMEOUT_MS))
                .with(new PoolOptions().setHttp1MaxSize(Webhook.ON_THE_WAY_MAX))
                .build();
    }

    @Override
    public CompletionStage<Integer> send(byte[] body, String timestamp, String signature) {
        Exchange exchange = new Exchange();
        client.request(new RequestOptions(options)
                        .putHeader("Brig-Timestamp", timestamp)
                        .putHeader("Brig-Signature", signature))
                .onSuccess(request -> exchange.begin(request, Buffer.buffer(body)))
                .onFailure(exchange::fail);
        return exchange.status;
    }

    /** One request and its answer, ended at the latest by the timeout. Owned by the event loop. */
    private final class Exchange {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        private final long timer = vertx.setTimer(
                TIMEOUT_MS, late -> fail(new TimeoutException("no answer within " + TIMEOUT_MS + " ms")));
        private @Nullable HttpClientRequest request;
        private int answerBytes;

        void begin(HttpClientRequest begun, Buffer body) {
            request = begun;
            if (status.isDone()) {
                reset();
                return;
            }
            begun.send(body).onSuccess(this::read).onFailure(this::fail);
        }

        private void read(HttpClientResponse response) {
            response.handler(part -> {
                answerBytes += part.length();
                if (answerBytes > ANSWER_BYTES_MAX) {
                    end(response);
                    reset();
                }
            });
            response.exceptionHandler(this::fail);
            response.endHandler(ended -> end(response));
        }

        private void end(HttpClientResponse response) {
            vertx.cancelTimer(timer);
            status.complete(response.statusCode());
        }

        private void fail(Throwable failure) {
            vertx.cancelTimer(timer);
            if (status.completeExceptionally(failure)) {
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
