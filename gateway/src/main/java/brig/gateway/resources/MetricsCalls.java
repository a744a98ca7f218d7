package brig.gateway.resources;

import brig.gateway.connection.Problem;
import brig.gateway.http.HttpGuard;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.function.Supplier;

/**
 * Metrics for Prometheus: for admins on the main address, or for everybody on an address of their own.
 *
 * <p>Decision 0097.
 */
public final class MetricsCalls {
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** Their path on every address that serves them. */
    public static final String PATH = "/metrics";

    private final HttpGuard guard;
    private final Supplier<byte[]> metrics;

    public MetricsCalls(HttpGuard guard, Supplier<byte[]> metrics) {
        this.guard = guard;
        this.metrics = metrics;
    }

    public void show(HttpServerResponse response) {
        Problem.unguessed(response).putHeader("Content-Type", CONTENT_TYPE).end(Buffer.buffer(metrics.get()));
    }

    public void showAlone(HttpServerRequest request) {
        try {
            HttpGuard.requireOneHost(request);
            guard.requireOurHost(request.authority());
            if (!request.path().equals(PATH)) {
                throw new BrigException(ErrorCode.NOT_FOUND, "there is nothing at this path but " + PATH);
            }
            if (!request.method().equals(HttpMethod.GET)) {
                request.response().putHeader("Allow", "GET");
                throw new BrigException(ErrorCode.METHOD_NOT_ALLOWED, "this path does not take that method");
            }
            show(request.response());
        } catch (BrigException refusal) {
            Problem.send(request.response(), refusal);
        }
    }
}
