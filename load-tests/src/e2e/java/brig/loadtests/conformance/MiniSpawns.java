package brig.loadtests.conformance;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Spawns of a mini server, and the requests that may be repeated. */
final class MiniSpawns {
    private final MiniServer server;
    private final Map<String, Repeatable> byRequestId = new HashMap<>();

    private record Repeatable(SpawnRequest request, Answer answer) {}

    /** What a spawn is answered by. @param status how far it is */
    record Answer(
            String spawnId, String taskId, String authToken, String watcherToken, String ioSocket, String status) {
        Answer at(String next) {
            return new Answer(spawnId, taskId, authToken, watcherToken, ioSocket, next);
        }
    }

    MiniSpawns(MiniServer server) {
        this.server = server;
    }

    /** Starts what is asked for, unless it was. @return the answer, but for how far it is */
    synchronized Answer spawn(SpawnRequest request) throws IOException {
        String requestId = request.claim().requestId();
        Repeatable known = byRequestId.get(requestId);
        if (known == null || server.defect() == Defect.STARTS_AGAIN_WHAT_IS_REPEATED) {
            Answer answer = start(request);
            if (requestId != null) {
                byRequestId.put(requestId, new Repeatable(request, answer));
            }
            return answer;
        }
        if (!known.request().equals(request) && server.defect() != Defect.TAKES_ANY_REQUEST_FOR_A_REPETITION) {
            throw new BrigException(ErrorCode.IDEMPOTENCY_CONFLICT, "that id belongs to another request");
        }
        return known.answer();
    }

    private Answer start(SpawnRequest request) throws IOException {
        server.limits().spawn(server.live());
        MiniSession session = server.add();
        if (request.prompt() != null) {
            session.input(request.prompt());
        }
        session.start(request.once());
        return new Answer(
                session.id, session.id, session.captainToken, session.watcherToken, session.socket, "requested");
    }
}
