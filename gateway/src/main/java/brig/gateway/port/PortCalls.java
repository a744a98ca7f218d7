package brig.gateway.port;

import brig.gateway.auth.Access;
import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.CallerTerminal;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;

/** Connections to servers that agents run inside their walls, for captains of their sessions. */
public final class PortCalls {

    private final ListenerServices listeners;
    private final WorkerAgent workers;

    public PortCalls(ListenerServices listeners, WorkerAgent workers) {
        this.listeners = listeners;
        this.workers = workers;
    }

    /** Forwards a request to the server. */
    public void pass(Call call) {
        HttpServerRequest request = call.request();
        PortPath path = PortPath.parse(request.uri());
        if (request.headers().contains("Service-Worker")) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "no script of an agent becomes a service worker of this origin");
        }
        call.session().requireAlive();
        // The forwarded exchange has no deadline.
        ListenerServices.guarded(ListenerServices.channel(request)).await(GuardedConnection.Wait.NOTHING);
        request.pause();
        workers.dial(call.session().spawn().workerId(), path.port()).whenComplete((server, failure) -> {
            if (failure != null) {
                request.resume();
                call.refuse(Problem.refusal(failure));
            } else if (call.isGone()) {
                var _ = server.close();
            } else {
                endWith(call.access(), server);
                new PortExchange(call, path, server).begin();
            }
        });
    }

    /** A raw connection for a client of the spawner socket. @throws BrigException if that is not permitted */
    public CompletionStage<Channel> dial(Session session, int port) {
        session.requireAlive();
        return workers.dial(session.spawn().workerId(), port);
    }

    /** A shell on the host of its tunnel, for a client of the spawner socket. */
    public CompletionStage<Channel> shell(Session session, CallerTerminal terminal) {
        session.requireAlive();
        return workers.shell(session.spawn().workerId(), terminal);
    }

    /** Closes the connection when its token becomes invalid. */
    private void endWith(Access access, Channel server) {
        Runnable forget = listeners.tokens().watch(access, why -> {
            var _ = server.close();
        });
        var _ = server.closeFuture().addListener(closed -> forget.run());
    }
}
