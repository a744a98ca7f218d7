package brig.gateway.spawn;

import brig.protocol.spawn.SpawnRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The known spawns: all live ones, and the newest ended ones. Owned by the event loop.
 *
 * <p>Decision 0069.
 */
public final class Spawns {
    /** Maximum number of ended spawns that stay known. */
    static final int ENDED_MAX = 1_000;

    private final Map<String, Spawn> liveById = new HashMap<>();
    private final Map<String, Spawn> liveByTask = new HashMap<>();
    /** Live and ended; if several spawns continued one agent session, the newest. */
    private final Map<String, Spawn> bySession = new HashMap<>();
    /** Includes those that had ended before this process began. */
    private long endedCount;
    /** In the order of their end. */
    private final LinkedHashMap<String, Spawn> endedById = new LinkedHashMap<>();

    private final List<AskListener> askListeners = new ArrayList<>();
    private final List<Consumer<Spawn>> changeListeners = new ArrayList<>();

    /** Tells that listener of each ask and each answer, until the returned handle is run. */
    public Runnable followAsks(AskListener listener) {
        askListeners.add(listener);
        return () -> askListeners.remove(listener);
    }

    /**
     * Tells that listener of each spawn that came, that another view would show, or that was forgotten, until the returned
     * handle is run. It may be about to change further in the same turn.
     */
    public Runnable followChanges(Consumer<Spawn> listener) {
        changeListeners.add(listener);
        return () -> changeListeners.remove(listener);
    }

    void add(Spawn spawn) {
        spawn.asks().tell(askListeners);
        spawn.tell(changeListeners);
        liveById.put(spawn.spawnId(), spawn);
        liveByTask.put(spawn.taskId(), spawn);
        index(spawn);
        spawn.handleChanged();
    }

    /** Indexes its session_id, which is known now. */
    void index(Spawn spawn) {
        if (spawn.sessionId() != null) {
            bySession.put(spawn.sessionId(), spawn);
        }
    }

    /** The spawn ended: its task_id is free again. */
    void retire(Spawn spawn) {
        liveById.remove(spawn.spawnId());
        liveByTask.remove(spawn.taskId(), spawn);
        endedById.put(spawn.spawnId(), spawn);
        endedCount++;
        if (endedById.size() > ENDED_MAX) {
            Spawn oldest = endedById.pollFirstEntry().getValue();
            if (oldest.sessionId() != null) {
                bySession.remove(oldest.sessionId(), oldest);
            }
            oldest.handleChanged();
        }
    }

    /** Number of spawns that ended, including before this process began. */
    public long endedCount() {
        return endedCount;
    }

    /** Whether the spawn may be deleted. An ended spawn that is no longer known always may. */
    public boolean isForgettable(String spawnId) {
        Spawn ended = endedById.get(spawnId);
        return !liveById.containsKey(spawnId) && (ended == null || ended.isForgettable());
    }

    /** It was deleted: an ended spawn is no longer known. */
    public void forget(String spawnId) {
        Spawn ended = endedById.remove(spawnId);
        if (ended == null) {
            return;
        }
        if (ended.sessionId() != null) {
            bySession.remove(ended.sessionId(), ended);
        }
        ended.handleChanged();
    }

    /** Whether a new session may be named so: the id is unused, except perhaps as the session_id of an ended spawn. */
    boolean isFreeForSession(String id) {
        return find(id).map(other -> other.state().isFinal() && id.equals(other.sessionId()))
                .orElse(true);
    }

    boolean isLive(String taskId) {
        return liveByTask.containsKey(taskId);
    }

    /** The spawn with that session_id, else that spawn_id, else that task_id: the live one, or the newest ended one. */
    public Optional<Spawn> find(String id) {
        @Nullable Spawn found = bySession.get(id);
        if (found == null) {
            found = liveById.get(id);
        }
        if (found == null) {
            found = endedById.get(id);
        }
        if (found == null) {
            found = liveByTask.get(id);
        }
        return found != null
                ? Optional.of(found)
                : endedById.values().stream()
                        .filter(spawn -> spawn.taskId().equals(id))
                        .max(Comparator.comparing(Spawn::spawnId));
    }

    /** The spawn with that spawn_id, and no other name. */
    public Optional<Spawn> known(String spawnId) {
        return Optional.ofNullable(liveById.getOrDefault(spawnId, endedById.get(spawnId)));
    }

    /** The live spawn of that request_id. */
    public Optional<Spawn> findByRequest(String requestId) {
        return liveById.values().stream()
                .filter(spawn -> requestId.equals(spawn.origin().requestId()))
                .findAny();
    }

    /**
     * The host of a worker; null for the gateway's own, and for a worker of no known spawn. What is left of an ended one
     * that had a sandbox is on the gateway's own.
     */
    public @Nullable String hostOf(String workerId) {
        Spawn first = liveById.getOrDefault(workerId, endedById.get(workerId));
        boolean isHome = first != null && first.isSandboxed() && first.state().isFinal() && !first.isConnected();
        if (isHome) {
            return null;
        }
        return first != null
                ? first.host()
                : liveById.values().stream()
                        .filter(spawn -> spawn.workerId().equals(workerId))
                        .map(Spawn::host)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    /** What was asked for a worker, without the prompt; null if no live spawn is bound to it. */
    public @Nullable SpawnRequest requestOf(String workerId) {
        return liveById.values().stream()
                .filter(spawn -> spawn.workerId().equals(workerId))
                .map(Spawn::request)
                .findFirst()
                .orElse(null);
    }

    public Collection<Spawn> live() {
        return liveById.values();
    }

    /** All known spawns, newest first. */
    public List<Spawn> all() {
        List<Spawn> all = new ArrayList<>(liveById.values());
        all.addAll(endedById.values());
        all.sort(Comparator.comparing(Spawn::spawnId).reversed());
        return all;
    }
}
