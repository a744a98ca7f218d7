package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.retention.Retention;
import brig.gateway.retention.StreamFolders;
import brig.gateway.store.MemorySpawnStore;
import brig.gateway.store.SpawnRecord;
import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.HandTimers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.api.PruneAnswer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of spawns that have ended goes by the bounds, in steps; what lives or is read stays. */
class RetentionTest {
    private static final long MIB = 1 << 20;
    private static final long DAY_MS = 24 * 3_600_000L;

    @TempDir
    Path streams;

    private final Loop loop = new Loop();
    private final HandTimers timers = new HandTimers();
    private final MemorySpawnStore store = new MemorySpawnStore(loop);
    private final Spawns spawns = new Spawns();
    private long nowMs = 1_000 * DAY_MS;

    private Retention retention(int days, long bytes, int count) {
        return new Retention(
                new Retention.Bounds(days, bytes, count),
                store,
                spawns,
                new StreamFolders(streams, Runnable::run, loop),
                () -> nowMs,
                timers);
    }

    private static String id(int number) {
        return "spn_%024d".formatted(number);
    }

    private Spawn live(int number, long bytes) throws IOException {
        SpawnRecord record = new SpawnRecord(
                id(number),
                "task-" + number,
                null,
                "4h2k9x0c",
                new SpawnRecord.Origin(null, "", "local", "admin", "shell", "{}"),
                new SpawnRecord.Hashes("aa", "bb"),
                SpawnRecord.Course.requested("{}"),
                new SpawnRecord.Times(nowMs, 0, nowMs, 0));
        Spawn spawn = new Spawn(
                record,
                new StreamLog(
                        "4h2k9x0c",
                        0,
                        new MemoryArchive(loop, loop),
                        new StreamLog.Services(
                                new LoopFlush(loop),
                                new RetainedBudget(1 << 20),
                                new RecordingClock(timers),
                                timers,
                                new Counters(System::nanoTime),
                                1024,
                                1)));
        spawns.add(spawn);
        save(spawn);
        Path folder = Files.createDirectory(streams.resolve(id(number)));
        try (var file = Files.newByteChannel(
                folder.resolve("00000000000000000001.ndjson"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.position(bytes - 1).write(ByteBuffer.allocate(1));
        }
        return spawn;
    }

    private void save(Spawn spawn) {
        var _ = store.save(spawn.record());
        loop.run();
    }

    private Spawn ended(int number, int daysAgo, long bytes) throws IOException {
        Spawn spawn = live(number, bytes);
        spawn.become(SpawnState.FAILED, nowMs - daysAgo * DAY_MS);
        spawns.retire(spawn);
        save(spawn);
        return spawn;
    }

    private Set<String> folders() throws IOException {
        try (Stream<Path> found = Files.list(streams)) {
            return found.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private List<String> rows() {
        CompletableFuture<List<SpawnRecord>> loaded = store.load().toCompletableFuture();
        loop.run();
        return loaded.join().stream().map(SpawnRecord::spawnId).sorted().toList();
    }

    private PruneAnswer prune(Retention retention, boolean dryRun) {
        CompletableFuture<PruneAnswer> pruned = retention.prune(dryRun, "uid:1").toCompletableFuture();
        loop.run();
        while (!pruned.isDone()) {
            timers.pass(20);
            loop.run();
        }
        return pruned.join();
    }

    @Test
    void shouldDeleteTheOldestByEachBoundAndNameItNoMore() throws IOException {
        for (int i = 1; i <= 10; i++) {
            ended(i, 100 - 10 * i, MIB);
        }
        Retention retention = retention(55, 3 * MIB, 4);
        PruneAnswer dry = prune(retention, true);
        assertEquals(Map.of("days", 4, "spawns", 2, "bytes", 1), dry.reasons());
        assertEquals(10, folders().size());
        assertEquals(7 * MIB, prune(retention, false).bytes());
        assertEquals(Set.of(id(8), id(9), id(10)), folders());
        assertEquals(List.of(id(8), id(9), id(10)), rows());
        assertTrue(spawns.find(id(7)).isEmpty() && spawns.find("task-7").isEmpty());
        assertTrue(spawns.find("task-8").isPresent());
        assertEquals(0, prune(retention, false).spawns(), "and then it is done");
    }

    /** Scenario: a gateway that is killed every few seconds would never come to the look that follows an end. */
    @Test
    void shouldLookWithinASecondOfTheStart() throws IOException {
        ended(1, 400, MIB);
        ended(2, 1, MIB);
        retention(30, 0, 0).start();
        loop.run();
        timers.pass(1_000);
        loop.run();
        assertEquals(List.of(id(2)), rows());
    }

    @Test
    void shouldNeverDeleteWhatLivesIsReadOrMayLive() throws IOException {
        live(1, 50 * MIB);
        Spawn read = ended(2, 400, MIB);
        Spawn givenUp = live(3, MIB);
        givenUp.setLastError(new BrigException(ErrorCode.RECONCILE_TIMEOUT, "nobody knows"));
        givenUp.become(SpawnState.FAILED, nowMs - 400 * DAY_MS);
        spawns.retire(givenUp);
        save(givenUp);
        ended(4, 400, MIB);
        Subscription reader = read.log().subscribe(1, false, null, 0, new Silent());
        Retention retention = retention(1, MIB, 1);
        prune(retention, false);
        assertEquals(Set.of(id(1), id(2), id(3)), folders());
        assertEquals(List.of(id(1), id(2), id(3)), rows());
        reader.close();
        givenUp.binding().setAlive(false);
        prune(retention, false);
        assertEquals(Set.of(id(1)), folders(), "nobody reads it any more, and its worker is gone");
    }

    @Test
    void shouldFinishAfterARestartWhatACrashCutOff() throws IOException {
        // Scenario: the process dies between the deletion of the rows and that of the streams.
        ended(1, 400, MIB);
        ended(2, 1, MIB);
        var _ = store.prune(List.of(id(1)));
        loop.run();
        assertEquals(2, folders().size());
        retention(30, 0, 0).start();
        loop.run();
        assertEquals(Set.of(id(2)), folders());
        CompletableFuture<List<String>> noted = store.pruned().toCompletableFuture();
        loop.run();
        assertEquals(List.of(), noted.join());
    }

    @Test
    void shouldTakeSmallStepsWithPausesBetween() throws IOException {
        for (int i = 1; i <= 50; i++) {
            ended(i, 400, 1);
        }
        var pruned = retention(30, 0, 0).prune(false, "uid:1").toCompletableFuture();
        loop.run();
        assertEquals(30, folders().size());
        timers.pass(20);
        loop.run();
        assertEquals(10, folders().size());
        assertFalse(pruned.isDone());
    }

    @Test
    void shouldLookSoonAfterSomethingEndedAndEachHour() throws IOException {
        retention(30, 0, 1).start();
        ended(1, 2, MIB);
        ended(2, 1, MIB);
        pass(60_000);
        assertEquals(Set.of(id(2)), folders());
        nowMs += 40 * DAY_MS;
        pass(60_000);
        assertEquals(Set.of(), folders(), "the hour is over, whatever ended");
    }

    private void pass(long ms) {
        loop.run();
        timers.pass(ms);
        loop.run();
        timers.pass(20);
        loop.run();
    }

    /** A reader that takes nothing. */
    private static final class Silent implements FrameSink {
        @Override
        public boolean isWritable() {
            return false;
        }

        @Override
        public void write(FrameBatch batch) {}

        @Override
        public void gap(long from, long to, GapReason reason) {}

        @Override
        public void notice(ErrorCode code, String message) {}

        @Override
        public void throttled(boolean throttled) {}

        @Override
        public void flush() {}

        @Override
        public void end() {}
    }
}
