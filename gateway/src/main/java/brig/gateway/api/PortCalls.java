package brig.gateway.api;

import brig.gateway.connection.Problem;
import brig.gateway.limits.Visitor;
import brig.gateway.listener.Door;
import brig.gateway.session.Access;
import brig.gateway.session.Session;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import io.netty.channel.Channel;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletionStage;

/** Ways to servers that an agent runs inside its wall, for the captains of its session. */
final class PortCalls {
    private static final int PORT_MAX = 65_535;

    private final Door door;
    private final WorkerAgent workers;

    PortCalls(Door door, WorkerAgent workers) {
        this.door = door;
        this.workers = workers;
    }

    /** A request to the server. */
    void pass(Call call) {
        HttpServerRequest request = call.request();
        PortPath path = PortPath.parse(request.uri());
        if (request.headers().contains("Service-Worker")) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "no script of an agent becomes a service worker of this origin");
        }
        call.session().requireAlive();
        // What is passed on may be as long as the captain likes.
        Door.visitor(Door.channel(request)).await(Visitor.Wait.NOTHING);
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

    /** A plain connection for who asks on the spawner socket. @throws BrigException where it may not */
    CompletionStage<Channel> dial(Access access, Fields wish) {
        Session session = door.sessions().find(wish.requiredText("id"));
        access.in(session.spawn()).requireCaptain();
        int port = (int) wish.number("port", 1, PORT_MAX, 0);
        if (port == 0) {
            throw Fields.invalid("port", "is missing");
        }
        session.requireAlive();
        return workers.dial(session.spawn().workerId(), port);
    }

    /** The connection lives no longer than the token that it was asked for with. */
    private void endWith(Access access, Channel server) {
        Runnable forget = door.tokens().watch(access, why -> {
            var _ = server.close();
        });
        var _ = server.closeFuture().addListener(closed -> forget.run());
    }
}
