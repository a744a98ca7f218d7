package brig.gateway.spawn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The spawns that can be named: all live ones, and the newest of those that ended. Owned by the event loop. */
public final class Spawns {
    private static final int ENDED_MAX = 1_000;

    private final Map<String, Spawn> liveById = new HashMap<>();
    private final Map<String, Spawn> liveByTask = new HashMap<>();
    private final Cache<String, Spawn> endedById =
            Caffeine.newBuilder().maximumSize(ENDED_MAX).executor(Runnable::run).build();

    void add(Spawn spawn) {
        liveById.put(spawn.spawnId(), spawn);
        liveByTask.put(spawn.taskId(), spawn);
    }

    /** The spawn ended: its task_id is free again. */
    void retire(Spawn spawn) {
        liveById.remove(spawn.spawnId());
        liveByTask.remove(spawn.taskId(), spawn);
        endedById.put(spawn.spawnId(), spawn);
    }

    boolean isLive(String taskId) {
        return liveByTask.containsKey(taskId);
    }

    /** The spawn with that spawn_id, else the live one with that task_id, else the newest ended one with it. */
    public Optional<Spawn> find(String id) {
        @Nullable Spawn found = liveById.get(id);
        if (found == null) {
            found = endedById.getIfPresent(id);
        }
        if (found == null) {
            found = liveByTask.get(id);
        }
        return found != null ? Optional.of(found)
                : endedById.asMap().values().stream()
                        .filter(spawn -> spawn.taskId().equals(id))
                        .max(Comparator.comparing(Spawn::spawnId));
    }

    public Collection<Spawn> live() {
        return liveById.values();
    }

    /** All that can be named, newest first. */
    public List<Spawn> all() {
        List<Spawn> all = new ArrayList<>(liveById.values());
        all.addAll(endedById.asMap().values());
        all.sort(Comparator.comparing(Spawn::spawnId).reversed());
        return all;
    }
}
