package brig.gateway.session;

import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Finds sessions by any of their names. Owned by the event loop. */
public final class Sessions {
    private final Spawns spawns;
    private final Terminator terminator;

    /** How a captain's wish to end its session is carried out. */
    @FunctionalInterface
    public interface Terminator {
        CompletionStage<Void> terminate(Spawn spawn, String reason);
    }

    public Sessions(Spawns spawns, Terminator terminator) {
        this.spawns = spawns;
        this.terminator = terminator;
    }

    /** The session with that spawn_id or task_id. @throws BrigException {@code NOT_FOUND} */
    public Session find(String id) {
        return spawns.find(id).map(this::of).orElseThrow(
                () -> new BrigException(ErrorCode.NOT_FOUND, "there is no session '" + id + "'"));
    }

    /**
     * The spawn_id behind one of a spawn's names. What a spawn left may outlive what is known of it here, so a
     * spawn_id stands for itself.
     *
     * @throws BrigException {@code NOT_FOUND}
     */
    public String spawnId(String id) {
        return spawns.find(id).isEmpty() && Ids.isSpawnId(id) ? id : find(id).spawn().spawnId();
    }

    public Session of(Spawn spawn) {
        return new Session(spawn, terminator);
    }

    /** Views of all spawns, newest first. */
    public List<Map<String, @Nullable Object>> views() {
        return spawns.all().stream().map(Spawn::view).toList();
    }

    /** Views of those that a worker runs for, newest first. */
    public List<Map<String, @Nullable Object>> liveViews() {
        return spawns.all().stream().filter(spawn -> !spawn.state().isFinal()).map(Spawn::view).toList();
    }
}
