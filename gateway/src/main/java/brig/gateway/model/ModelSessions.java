package brig.gateway.model;

import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawner;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.json.Fields;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sessions that answer clients of models, found by the names that such a client has for them. Owned by the event loop. */
final class ModelSessions {
    private static final Pattern RESPONSE = Pattern.compile("resp_(spn_[a-z0-9]+)_\\d+");

    private final ListenerServices listeners;
    private final Spawner spawner;
    /** Those whose worker is there, by its spawn_id. */
    private final Map<String, ModelSession> sessions = new HashMap<>();

    ModelSessions(ListenerServices listeners, Spawner spawner) {
        this.listeners = listeners;
        this.spawner = spawner;
    }

    /** The one that a talk is held with whose worker has that name. */
    Optional<Session> running(String taskId) {
        return listeners.sessions().all().stream()
                .filter(spawn -> spawn.taskId().equals(taskId) && !spawn.state().isFinal())
                .findFirst()
                .map(listeners.sessions()::of);
    }

    /** The one that gave an answer with that id. @throws brig.protocol.BrigException where there is none */
    Session ofResponse(String previousResponseId) {
        Matcher id = RESPONSE.matcher(previousResponseId);
        if (!id.matches()) {
            throw Fields.invalid("previous_response_id", "must be the id of an answer of this gateway");
        }
        return listeners.sessions().find(id.group(1));
    }

    /** The name of a worker whose talk is known by the ids of its answers. */
    static String newTaskId() {
        return "response-" + Ids.newToken().substring(5, 25);
    }

    /**
     * How long its worker stays.
     *
     * @param goesOn whether it can be named by a later request
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
