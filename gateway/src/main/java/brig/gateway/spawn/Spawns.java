package brig.gateway.spawn;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The spawns that can be named: all live ones, and the newest of those that ended. Owned by the event loop.
 *
 * <p>Decision 0069.
 */
public final class Spawns {
    /** How many of those that ended can still be named. */
    static final int ENDED_MAX = 1_000;

    private final Map<String, Spawn> liveById = new HashMap<>();
    private final Map<String, Spawn> liveByTask = new HashMap<>();
    /** Live and ended; of those that went on with one session of their agent the newest. */
    private final Map<String, Spawn> bySession = new HashMap<>();
    /** Also of those that were over when this process began. */
    private long endedCount;
    /** In the order in which they ended. */
    private final LinkedHashMap<String, Spawn> endedById = new LinkedHashMap<>();

    void add(Spawn spawn) {
        liveById.put(spawn.spawnId(), spawn);
        liveByTask.put(spawn.taskId(), spawn);
        index(spawn);
    }

    /** Its session_id is known now. */
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
        }
    }

    /** How many ended in this process, or were over when it began. */
    public long endedCount() {
        return endedCount;
    }

    /** Whether nobody needs that spawn any more. One that has ended and cannot be named is needed by nobody. */
    public boolean isForgettable(String spawnId) {
        Spawn ended = endedById.get(spawnId);
        return !liveById.containsKey(spawnId) && (ended == null || ended.isForgettable());
    }

    /** It is deleted: one that has ended cannot be named any more. */
    public void forget(String spawnId) {
        Spawn ended = endedById.remove(spawnId);
        if (ended != null && ended.sessionId() != null) {
            bySession.remove(ended.sessionId(), ended);
        }
    }

    /** Whether that id can name a session from now on: nobody has it, but maybe as the session_id of one that ended. */
    boolean isFreeForSession(String id) {
        return find(id).map(other -> other.state().isFinal() && id.equals(other.sessionId()))
                .orElse(true);
    }

    boolean isLive(String taskId) {
        return liveByTask.containsKey(taskId);
    }

    /**
     * The spawn with exactly that session_id, else that spawn_id, else that task_id: the live one, or the newest of those
     * that ended.
     */
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

    /** The live spawn that was asked for with that request_id. */
    public Optional<Spawn> findByRequest(String requestId) {
        return liveById.values().stream()
                .filter(spawn -> requestId.equals(spawn.origin().requestId()))
                .findAny();
    }

    public Collection<Spawn> live() {
        return liveById.values();
    }

    /** All that can be named, newest first. */
    public List<Spawn> all() {
        List<Spawn> all = new ArrayList<>(liveById.values());
        all.addAll(endedById.values());
        all.sort(Comparator.comparing(Spawn::spawnId).reversed());
        return all;
    }
}
