package brig.gateway.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.auth.Access;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.GrantedSpawn;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerTest {
    private static final String FORGOTTEN = Ids.newSpawnId(1);

    private final SpawnBench bench = new SpawnBench();
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> CompletableFuture.completedFuture(null),
            bench.workers()::answer,
            new FakeTime());
    private final GrantedSpawn granted = bench.start("fix");
    private final Spawn spawn = bench.spawn(granted);
    private final GrantedSpawn other = bench.start("other");
    private int authenticated;

    /** All kinds of callers. */
    private enum Kind {
        NOBODY,
        ADMIN,
        CAPTAIN,
        OTHER_CAPTAIN,
        BOUND_CAPTAIN,
        APPROVER,
        BOUND_APPROVER,
        OTHER_APPROVER,
        WATCHER,
        BOUND_WATCHER,
        OTHER_WATCHER,
        OWN_CAPTAIN,
        OWN_WATCHER,
        UNKNOWN_TOKEN,
        OWN_OF_OTHER
    }

    private Access access(Kind kind) {
        String captain = spawn.captain();
        return switch (kind) {
            case NOBODY -> Access.nobody();
            case ADMIN -> new Access("admin", Role.ADMIN, null, null, null);
            case CAPTAIN -> new Access(captain, Role.CAPTAIN, null, null, null);
            case OTHER_CAPTAIN -> new Access("bob", Role.CAPTAIN, null, null, null);
            case BOUND_CAPTAIN -> new Access(captain, Role.CAPTAIN, spawn.spawnId(), null, null);
            case APPROVER -> new Access("approver", Role.APPROVER, null, null, null);
            case BOUND_APPROVER -> new Access(captain, Role.APPROVER, spawn.spawnId(), null, null);
            case OTHER_APPROVER -> new Access(captain, Role.APPROVER, other.spawnId(), null, null);
            case WATCHER -> new Access("watcher", Role.WATCHER, null, null, null);
            case BOUND_WATCHER -> new Access("watcher", Role.WATCHER, spawn.spawnId(), null, null);
            case OTHER_WATCHER -> new Access("watcher", Role.WATCHER, other.spawnId(), null, null);
            case OWN_CAPTAIN -> own(granted.captainToken());
            case OWN_WATCHER -> own(granted.watcherToken());
            case UNKNOWN_TOKEN -> own(Ids.newToken());
            case OWN_OF_OTHER -> own(other.captainToken());
        };
    }

    private static Access own(String token) {
        return new Access("token", null, null, token, "tok_1");
    }

    private Caller caller(Kind kind, Who who, @Nullable String id) {
        return Caller.of(
                access(kind), who, id, sessions, new Caller.Connection("test", () -> false, () -> authenticated++));
    }

    private boolean mayCall(Kind kind, Who who, @Nullable String id) {
        try {
            caller(kind, who, id);
            return true;
        } catch (BrigException refusal) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SOMEBODY, ADMIN CAPTAIN OTHER_CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER OTHER_APPROVER WATCHER BOUND_WATCHER OTHER_WATCHER OWN_CAPTAIN "
                + "OWN_WATCHER UNKNOWN_TOKEN OWN_OF_OTHER",
        "KNOWN, ADMIN CAPTAIN OTHER_CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER OTHER_APPROVER WATCHER BOUND_WATCHER OTHER_WATCHER",
        "STARTER, ADMIN CAPTAIN OTHER_CAPTAIN",
        "WATCHER, ADMIN CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER WATCHER BOUND_WATCHER OWN_CAPTAIN OWN_WATCHER",
        "CAPTAIN, ADMIN CAPTAIN BOUND_CAPTAIN OWN_CAPTAIN",
        "WORKSPACE_WATCHER, ADMIN CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER WATCHER BOUND_WATCHER OWN_CAPTAIN OWN_WATCHER",
        "WORKSPACE_CAPTAIN, ADMIN CAPTAIN BOUND_CAPTAIN OWN_CAPTAIN",
        "ADMIN, ADMIN"
    })
    void shouldLetThoseCallWhoMay(Who who, String expected) {
        Set<String> may = Arrays.stream(Kind.values())
                .filter(kind -> mayCall(kind, who, "fix"))
                .map(Kind::name)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(Set.of(expected.split(" "))), may);
    }

    @Test
    void shouldLetAdminsAloneNameAWorkspaceWhoseSpawnIsForgotten() {
        for (Who who : Who.values()) {
            for (Kind kind : Kind.values()) {
                boolean ofWorkspace = who == Who.WORKSPACE_WATCHER || who == Who.WORKSPACE_CAPTAIN;
                if (who.isOfSession()) {
                    assertEquals(
                            ofWorkspace && kind == Kind.ADMIN, mayCall(kind, who, FORGOTTEN), () -> who + " " + kind);
                }
            }
        }
        assertEquals(
                FORGOTTEN, caller(Kind.ADMIN, Who.WORKSPACE_CAPTAIN, FORGOTTEN).spawnId(FORGOTTEN));
        assertEquals(
                spawn.spawnId(),
                caller(Kind.ADMIN, Who.WORKSPACE_CAPTAIN, "fix").spawnId("fix"));
    }

    @Test
    void shouldActWithinTheSessionInTheNameOfItsCaptain() {
        Caller own = caller(Kind.OWN_CAPTAIN, Who.CAPTAIN, "fix");
        assertEquals(spawn, own.session().spawn());
        assertEquals(spawn.captain(), own.access().captain());
        assertEquals("test", own.via(null));
    }

    @Test
    void shouldCountATokenOfASessionAsValidAlsoIfItMayNotDoThis() {
        BrigException refusal = assertThrows(BrigException.class, () -> caller(Kind.OWN_WATCHER, Who.CAPTAIN, "fix"));
        assertEquals(ErrorCode.FORBIDDEN, refusal.code());
        assertEquals(1, authenticated);
        refusal = assertThrows(BrigException.class, () -> caller(Kind.OWN_OF_OTHER, Who.WATCHER, "fix"));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal.code());
        assertEquals(1, authenticated);
    }
}
