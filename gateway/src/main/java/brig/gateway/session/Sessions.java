package brig.gateway.session;

import brig.gateway.auth.Access;
import brig.gateway.auth.Token;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.SpawnView;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds sessions by any of their names. Owned by the event loop.
 *
 * <p>Decision 0145.
 */
public final class Sessions {
    private static final int ENDED_TREES_MAX = 32;

    private final Spawns spawns;
    private final Terminator terminator;
    private final Timers timers;
    private final CaptainLeases leases;
    /** Who is there, for each session with anybody. */
    private final Map<String, Presence> presences = new HashMap<>();
    /** Those that have ended and whose tree is in memory because somebody asked for it, in the order of asking. */
    private final LinkedHashSet<Spawn> treesRead = new LinkedHashSet<>();

    /** How a captain's wish to end its session is carried out. */
    @FunctionalInterface
    public interface Terminator {
        /** @param by whose wish it is */
        CompletionStage<Void> terminate(Spawn spawn, String reason, String by);
    }

    public Sessions(Spawns spawns, Terminator terminator, Timers timers) {
        this.spawns = spawns;
        this.terminator = terminator;
        this.timers = timers;
        this.leases = new CaptainLeases(timers, terminator);
    }

    /** The session with that spawn_id or task_id. @throws BrigException {@code NOT_FOUND} */
    public Session find(String id) {
        return spawns.find(id)
                .map(this::of)
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no session '" + id + "'"));
    }

    /**
     * The spawn_id behind one of a spawn's names. What a spawn left may outlive what is known of it here, so a
     * spawn_id stands for itself.
     *
     * @throws BrigException {@code NOT_FOUND}
     */
    public String spawnId(String id) {
        return spawns.find(id).isEmpty() && Ids.isSpawnId(id)
                ? id
                : find(id).spawn().spawnId();
    }

    public Session of(Spawn spawn) {
        return new Session(spawn, this);
    }

    /** Who is there; made for the first. */
    Presence presence(Spawn spawn) {
        String id = spawn.spawnId();
        return presences.computeIfAbsent(id, key -> new Presence(timers, () -> presences.remove(id)));
    }

    /** Who is there; null where nobody is. */
    @Nullable
    Presence known(Spawn spawn) {
        return presences.get(spawn.spawnId());
    }

    /** The tree of that spawn was read. Of those that have ended only some stay in memory. */
    void noteRead(Spawn spawn) {
        if (spawn.state().isFinal()) {
            treesRead.addLast(spawn);
            if (treesRead.size() > ENDED_TREES_MAX) {
                treesRead.removeFirst().tree().forget();
            }
        }
    }

    CaptainLeases leases() {
        return leases;
    }

    /** The gateway stops and lets its captains go; workers may stay, and no lease runs out for that. */
    public void keepAll() {
        leases.close();
    }

    Terminator terminator() {
        return terminator;
    }

    /** The session with exactly that spawn_id, and no other of its names. @throws BrigException {@code NOT_FOUND} */
    public Session ofSpawn(String spawnId) {
        return exactly(
                "spawn_id",
                spawnId,
                spawns.find(spawnId).filter(spawn -> spawn.spawnId().equals(spawnId)));
    }

    /** The session whose spawn was asked for with exactly that request_id. @throws BrigException {@code NOT_FOUND} */
    public Session ofRequest(String requestId) {
        return exactly("request_id", requestId, spawns.findByRequest(requestId));
    }

    /** The session whose agent reported exactly that session_id. @throws BrigException {@code NOT_FOUND} */
    public Session ofSession(String sessionId) {
        return exactly(
                "session_id", sessionId, spawns.find(sessionId).filter(spawn -> sessionId.equals(spawn.sessionId())));
    }

    private Session exactly(String name, String id, Optional<Spawn> found) {
        return found.map(this::of)
                .orElseThrow(() ->
                        new BrigException(ErrorCode.NOT_FOUND, "there is no spawn with " + name + " '" + id + "'"));
    }

    /** All spawns that can be named, newest first. */
    public List<Spawn> all() {
        return spawns.all();
    }

    /** The tokens that the spawns which have not ended were given at their start. */
    public Stream<Token> ownTokens() {
        return spawns.all().stream()
                .filter(spawn -> !spawn.state().isFinal())
                .flatMap(spawn -> Stream.of(Token.ownOf(spawn, Role.CAPTAIN), Token.ownOf(spawn, Role.WATCHER)));
    }

    /** Views of the spawns that lists show who asks, newest first. */
    public List<SpawnView> views(Access access) {
        return spawns.all().stream().filter(access::sees).map(Spawn::view).toList();
    }

    /** Whether lists show that session to who asks; not where it is known no more. */
    public boolean isOf(String spawnId, Access access) {
        return spawns.find(spawnId).filter(access::sees).isPresent();
    }
}
