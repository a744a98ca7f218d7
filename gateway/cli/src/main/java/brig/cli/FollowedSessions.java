package brig.cli;

import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The sessions, kept up to date by what the gateway tells. */
final class FollowedSessions {
    private final Map<String, SpawnView> known = new TreeMap<>(Comparator.reverseOrder());

    /** @return those that are new, or other than before, as they are now */
    List<SpawnView> take(SessionChange change) {
        return switch (change) {
            case SessionChange.Sessions all -> {
                known.clear();
                yield add(all.sessions());
            }
            case SessionChange.SessionsChanged some -> {
                some.removed().forEach(known::remove);
                yield add(some.sessions());
            }
        };
    }

    private List<SpawnView> add(List<SpawnView> views) {
        views.forEach(view -> known.put(view.spawnId(), view));
        return views;
    }

    /** The newest first. */
    List<SpawnView> all() {
        return List.copyOf(known.values());
    }

    /** Those that have not ended, the newest first; the others are forgotten. */
    List<SpawnView> live() {
        known.values().removeIf(view -> view.endedMs() > 0);
        return all();
    }
}
