package brig.gateway.model;

import brig.gateway.auth.Access;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sessions that serve model clients, found by the client's identifiers. Owned by the event loop. */
final class ModelSessions {
    private static final Pattern RESPONSE = Pattern.compile("resp_(spn_[a-z0-9]+)_\\d+");

    private final ListenerServices listeners;
    private final Spawner spawner;
    /** Sessions with a living worker, by spawn_id. */
    private final Map<String, ModelSession> sessions = new HashMap<>();

    ModelSessions(ListenerServices listeners, Spawner spawner) {
        this.listeners = listeners;
        this.spawner = spawner;
    }

    /** The running session with that task_id. */
    Optional<Session> running(String taskId) {
        return listeners.sessions().all().stream()
                .filter(spawn -> spawn.taskId().equals(taskId) && !spawn.state().isFinal())
                .findFirst()
                .map(listeners.sessions()::of);
    }

    /** The session of that response id. @throws brig.protocol.BrigException if there is none */
    Session ofResponse(String previousResponseId) {
        Matcher id = RESPONSE.matcher(previousResponseId);
        if (!id.matches()) {
            throw BrigException.invalid("previous_response_id", "must be the id of an answer of this gateway");
        }
        return listeners.sessions().find(id.group(1));
    }

    /** The session that asks or asked that. @throws brig.protocol.BrigException {@code NOT_FOUND} */
    Session ofAsk(Access access, String askId) {
        return listeners.sessions().all().stream()
                .filter(spawn -> spawn.asks().knows(askId) && access.opens(spawn))
                .findFirst()
                .map(listeners.sessions()::of)
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no ask '" + askId + "'"));
    }

    /** A task_id for a conversation that is continued by response ids. */
    static String newTaskId() {
        return "response-" + Ids.newToken().substring(5, 25);
    }

    /**
     * The lifetime of its worker.
     *
     * @param goesOn whether a later request can refer to it
     */
    ModelSession of(Session session, boolean goesOn) {
        Spawn spawn = session.spawn();
        return sessions.computeIfAbsent(
                spawn.spawnId(), id -> new ModelSession(new SpawnedWorker(spawn), listeners.timers(), goesOn));
    }

    private final class SpawnedWorker implements ModelSession.Worker {
        private final Spawn spawn;

        SpawnedWorker(Spawn spawn) {
            this.spawn = spawn;
        }

        @Override
        public boolean isOver() {
            return spawn.state().isFinal();
        }

        @Override
        public void cancel() {
            if (spawn.state() == SpawnState.RUNNING) {
                spawn.worker().cancel();
            }
        }

        @Override
        public void terminate(String reason) {
            sessions.remove(spawn.spawnId());
            spawner.terminate(spawn, reason, spawn.captain());
        }
    }
}
