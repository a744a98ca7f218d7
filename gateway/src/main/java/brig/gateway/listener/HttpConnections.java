package brig.gateway.listener;

import brig.gateway.connection.Problem;
import brig.gateway.limits.CountLimit;
import brig.gateway.limits.Lease;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.Map;

/**
 * HTTP connections, counted with all others. One for which there is no place is let in for a moment, to be told so in
 * answer to its first request; when many such wait, the next are closed as they come. Owned by the event loop.
 */
public final class HttpConnections {
    private static final int REFUSED_MAX = 64;
    private static final long REFUSED_MS = 1_000;

    private final CountLimit places;
    private final Timers timers;
    /** Those that have no place, and what they will be told. */
    private final Map<HttpConnection, BrigException> refused = new HashMap<>();

    public HttpConnections(CountLimit places, Timers timers) {
        this.places = places;
        this.timers = timers;
    }

    /** One was opened. */
    public void handle(HttpConnection connection) {
        try {
            Lease lease = places.take(Door.ALL);
            connection.closeHandler(gone -> lease.close());
        } catch (BrigException refusal) {
            refuse(connection, refusal);
        }
    }

    private void refuse(HttpConnection connection, BrigException refusal) {
        if (refused.size() >= REFUSED_MAX) {
            connection.close();
            return;
        }
        refused.put(connection, refusal);
        Timers.Timer deadline = timers.after(REFUSED_MS, connection::close);
        connection.closeHandler(gone -> {
            deadline.cancel();
            refused.remove(connection);
        });
    }

    /** Answers the requests of connections that have no place; all others go on to {@code next}. */
    public Handler<HttpServerRequest> before(Handler<HttpServerRequest> next) {
        return request -> {
            BrigException refusal = refused.get(request.connection());
            if (refusal == null) {
                next.handle(request);
                return;
            }
            request.response().endHandler(sent -> request.connection().close());
            Problem.send(request.response().putHeader("Connection", "close"), refusal);
        };
    }
}
