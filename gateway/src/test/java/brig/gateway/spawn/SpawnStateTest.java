package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.store.SpawnRecord;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import brig.protocol.SpawnState;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SpawnStateTest {
    /** The list of docs: every pair that is not here is refused. */
    private static final Set<String> ALLOWED = Set.of(
            "requested->spawning",
            "requested->failed",
            "spawning->running",
            "spawning->failed",
            "spawning->unknown",
            "running->terminated",
            "running->unknown",
            "unknown->spawning",
            "spawning->unreachable",
            "running->unreachable",
            "unreachable->spawning",
            "unreachable->running",
            "unreachable->failed",
            "unreachable->terminated",
            "unknown->running",
            "unknown->failed",
            "unknown->terminated");

    private final Loop loop = new Loop();

    private Spawn spawn(SpawnState state, String requestId, String sessionId) {
        SpawnRecord record = new SpawnRecord(
                "spn_1",
                "fix",
                sessionId,
                "4h2k9x0c",
                new SpawnRecord.Origin(requestId, "", "local", "admin", "shell", "{}"),
                new SpawnRecord.Hashes("aa", "bb"),
                new SpawnRecord.Course(state.name(), "", "{}", null, null, null),
                new SpawnRecord.Times(1_000, 0, 1_500, 0));
        return new Spawn(
                record,
                new StreamLog(
                        "4h2k9x0c",
                        0,
                        new MemoryArchive(loop, loop),
                        new StreamLog.Services(
                                new LoopFlush(loop),
                                new RetainedBudget(1),
                                new RecordingClock((delayMs, tick) -> () -> {}),
                                (delayMs, task) -> () -> {},
                                new Counters(System::nanoTime),
                                1024,
                                1)));
    }

    @Test
    void shouldMakeExactlyTheTransitionsOfTheDesign() {
        Set<String> made = new TreeSet<>();
        for (SpawnState from : SpawnState.values()) {
            for (SpawnState to : SpawnState.values()) {
                Spawn spawn = spawn(from, null, null);
                if (ALLOWED.contains(from.wireName() + "->" + to.wireName())) {
                    spawn.become(to, 2_000);
                    made.add(from.wireName() + "->" + spawn.state().wireName());
                } else {
                    assertThrows(IllegalStateException.class, () -> spawn.become(to, 2_000), from + " -> " + to);
                    assertEquals(from, spawn.state());
                    assertEquals(1_500, spawn.record().times().updatedMs());
                }
            }
        }
        assertEquals(new TreeSet<>(ALLOWED), made);
    }

    @Test
    void shouldBeFinalExactlyWhenNothingFollows() {
        for (SpawnState state : SpawnState.values()) {
            boolean something = ALLOWED.stream().anyMatch(pair -> pair.startsWith(state.wireName() + "->"));
            assertEquals(!something, state.isFinal(), state::toString);
        }
    }

    @Test
    void shouldNameEverythingInTheLineOfATransition() {
        assertEquals(
                "{request_id=8e03978e, provider=local, spawn_id=spn_1, session_id=ses_1, task_id=fix,"
                        + " state=requested->spawning, duration_ms=500}",
                spawn(SpawnState.REQUESTED, "8e03978e", "ses_1")
                        .transition(SpawnState.SPAWNING, 2_000)
                        .toString());
        assertEquals(
                "{request_id=null, provider=local, spawn_id=spn_1, session_id=null, task_id=fix,"
                        + " state=unknown->failed, duration_ms=0}",
                spawn(SpawnState.UNKNOWN, null, null)
                        .transition(SpawnState.FAILED, 1_500)
                        .toString());
    }
}
