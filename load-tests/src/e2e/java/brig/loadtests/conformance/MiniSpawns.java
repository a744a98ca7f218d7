package brig.loadtests.conformance;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Spawns of a mini server, and the requests that may be repeated. */
final class MiniSpawns {
    private final MiniServer server;
    private final Map<String, Repeatable> byRequestId = new HashMap<>();

    private record Repeatable(Map<String, ?> request, Map<String, Object> answer) {}

    MiniSpawns(MiniServer server) {
        this.server = server;
    }

    /** Starts what is asked for, unless it was. @return the answer, but for how far it is */
    synchronized Map<String, Object> spawn(Fields request) throws IOException {
        String requestId = request.text("request_id", "");
        Repeatable known = byRequestId.get(requestId);
        if (known == null || server.defect() == Defect.STARTS_AGAIN_WHAT_IS_REPEATED) {
            Map<String, Object> answer = start(request);
            if (!requestId.isEmpty()) {
                byRequestId.put(requestId, new Repeatable(request.asMap(), answer));
            }
            return answer;
        }
        if (!known.request().equals(request.asMap()) && server.defect() != Defect.TAKES_ANY_REQUEST_FOR_A_REPETITION) {
            throw new BrigException(ErrorCode.IDEMPOTENCY_CONFLICT, "that id belongs to another request");
        }
        return known.answer();
    }

    private Map<String, Object> start(Fields request) throws IOException {
        server.limits().spawn(server.live());
        MiniSession session = server.add();
        if (request.has("prompt")) {
            session.input(request.requiredText("prompt"));
        }
        session.start(request.flag("once"));
        return Map.of(
                "spawn_id",
                session.id,
                "task_id",
                session.id,
                "auth_token",
                session.captainToken,
                "watcher_token",
                session.watcherToken,
                "io_socket",
                session.socket);
    }
}
