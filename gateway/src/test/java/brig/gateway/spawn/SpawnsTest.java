package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.store.SpawnRecord;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpawnsTest {
    private final Loop loop = new Loop();
    private final Spawns spawns = new Spawns();

    private Spawn spawn(int number, String taskId) {
        String id = "spn_%024d".formatted(number);
        SpawnRecord record = new SpawnRecord(
                id,
                taskId,
                null,
                "4h2k9x0c",
                new SpawnRecord.Origin(null, "", "local", "admin", "shell", "{}"),
                new SpawnRecord.Hashes("aa", "bb"),
                SpawnRecord.Course.requested("{}"),
                new SpawnRecord.Times(number, 0, number, 0));
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

    private Spawn add(int number, String taskId) {
        Spawn spawn = spawn(number, taskId);
        spawns.add(spawn);
        return spawn;
    }

    @Test
    void shouldFindALiveSpawnByEitherName() {
        Spawn spawn = add(1, "fix");
        assertEquals(spawn, spawns.find("fix").orElseThrow());
        assertEquals(spawn, spawns.find(spawn.spawnId()).orElseThrow());
        assertTrue(spawns.isLive("fix"));
        assertTrue(spawns.find("other").isEmpty());
    }

    @Test
    void shouldFindTheLiveOneFirstWhenATaskIdWasUsedBefore() {
        Spawn first = add(1, "fix");
        spawns.retire(first);
        assertFalse(spawns.isLive("fix"));
        Spawn second = add(2, "fix");
        spawns.retire(second);
        assertEquals(second, spawns.find("fix").orElseThrow(), "the newest that ended");
        Spawn third = add(3, "fix");
        assertEquals(third, spawns.find("fix").orElseThrow());
        assertEquals(first, spawns.find(first.spawnId()).orElseThrow());
        assertEquals(List.of(third, second, first), spawns.all());
    }

    @Test
    void shouldPreferTheSessionIdThenTheSpawnIdThenTheTaskId() {
        // Scenario: captains choose task_ids, so one may be called like another's session or spawn.
        Spawn session = add(1, "first");
        Spawn named = add(2, "ses_x");
        assertEquals(named, spawns.find("ses_x").orElseThrow());
        session.setSessionId("ses_x");
        spawns.index(session);
        assertEquals(session, spawns.find("ses_x").orElseThrow());
        spawns.retire(session);
        assertEquals(session, spawns.find("ses_x").orElseThrow(), "also when it has ended");

        Spawn impostor = add(3, session.spawnId());
        assertEquals(session, spawns.find(session.spawnId()).orElseThrow());
        assertEquals(impostor, spawns.find(impostor.spawnId()).orElseThrow());
    }

    @Test
    void shouldKeepTheNewestWhenManyHaveEnded() {
        for (int i = 1; i <= 1_500; i++) {
            spawns.retire(add(i, "task-" + i));
        }
        for (int i = 501; i <= 1_500; i++) {
            assertTrue(spawns.find("task-" + i).isPresent(), "the one with number " + i + " of 1500");
        }
        assertTrue(spawns.find("task-500").isEmpty());
        assertEquals(1_000, spawns.all().size());
        assertEquals(0, spawns.live().size());
    }
}
