package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.telemetry.Counters;
import brig.protocol.Ids;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database is made anew of what is left, whatever that is. */
class RecoveryTest {
    private static final int PAGE_BYTES = 4096;
    private static final String RUNNING = "{\"type\":\"state\",\"seq\":1,\"ts\":5,\"state\":\"running\"}\n";
    private static final String SESSION =
            "{\"type\":\"session\",\"seq\":2,\"ts\":6,\"session_id\":\"ses_x\",\"agent\":\"claude\"}\n";
    private static final String TERMINATED = "{\"type\":\"state\",\"seq\":3,\"ts\":9,\"state\":\"terminated\"}\n";

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("brig.db");
    }

    private SpawnStore open() {
        return new SqliteSpawnStore(new Database(file(), Runnable::run, new Counters(System::nanoTime)));
    }

    private List<String> fill(int spawns) {
        SpawnStore store = open();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < spawns; i++) {
            String id = Ids.newSpawnId(1_767_225_600_000L + i);
            ids.add(id);
            store.save(SpawnStoreContract.record(id, i + 1L))
                    .toCompletableFuture()
                    .join();
        }
        store.close();
        return ids;
    }

    private void stream(String id, String lines, long last) {
        FileStreamArchive archive =
                new FileStreamArchive(folder.resolve("streams").resolve(id), 1 << 20, Runnable::run, Runnable::run);
        archive.append(1, last, Unpooled.copiedBuffer(lines, StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
        archive.close().toCompletableFuture().join();
    }

    private Recovery.Outcome recover() {
        return new Recovery(file(), folder.resolve("streams"), Set.of("REQUESTED", "RUNNING", "TERMINATED")::contains)
                .run(42);
    }

    private List<SpawnRecord> load() {
        SpawnStore store = open();
        try {
            return store.load().toCompletableFuture().join();
        } finally {
            store.close();
        }
    }

    private void damage(int firstPage, int endPage) throws IOException {
        byte[] bytes = Files.readAllBytes(file());
        int end = Math.min(bytes.length, endPage * PAGE_BYTES);
        Arrays.fill(bytes, firstPage * PAGE_BYTES, end, (byte) 0x5a);
        Files.write(file(), bytes);
    }

    @Test
    void shouldLeaveAWholeDatabaseAlone() throws IOException {
        fill(3);
        byte[] before = Files.readAllBytes(file());
        Recovery.Outcome outcome = recover();
        assertNull(outcome.aside());
        assertTrue(Arrays.equals(before, Files.readAllBytes(file())));
    }

    @Test
    void shouldKeepTheRowsOnBothSidesOfADamagedPage() throws IOException {
        List<String> ids = fill(300);
        long pages = Files.size(file()) / PAGE_BYTES;
        assertTrue(pages > 20, () -> pages + " pages");
        damage((int) pages / 2, (int) pages / 2 + 1);
        Recovery.Outcome outcome = recover();
        Set<String> kept = load().stream().map(SpawnRecord::spawnId).collect(Collectors.toSet());
        assertEquals(outcome.kept(), kept.size());
        assertTrue(
                kept.size() > 250 && kept.contains(ids.getFirst()) && kept.contains(ids.getLast()),
                () -> kept.size() + " rows");
        assertTrue(Files.exists(folder.resolve("brig.db.damaged-42")), "the damaged one stays");
    }

    @Test
    void shouldMakeItOfTheStreamsAloneWhenNothingElseIsLeft() throws IOException {
        List<String> ids = fill(2);
        stream(ids.getFirst(), RUNNING + SESSION + TERMINATED, 3);
        stream(ids.getLast(), RUNNING, 1);
        Files.createDirectories(folder.resolve("streams/notes"));
        damage(1, Integer.MAX_VALUE / PAGE_BYTES);
        Recovery.Outcome outcome = recover();
        assertEquals(0, outcome.kept());
        assertEquals(2, outcome.rebuilt());
        List<SpawnRecord> records = load();
        SpawnRecord ended = records.stream()
                .filter(each -> each.spawnId().equals(ids.getFirst()))
                .findFirst()
                .orElseThrow();
        assertEquals("TERMINATED", ended.course().state());
        assertEquals("ses_x", ended.sessionId());
        assertEquals(new SpawnRecord.Times(5, 5, 9, 9), ended.times());
        SpawnRecord live = records.stream()
                .filter(each -> each.spawnId().equals(ids.getLast()))
                .findFirst()
                .orElseThrow();
        assertEquals("RUNNING", live.course().state(), "its worker may be there");
    }

    @Test
    void shouldMakeAnEmptyOneOfWhatIsNoDatabase() throws IOException {
        Files.writeString(
                file(), "this is a text, and long enough to be taken for the header of a database".repeat(20));
        assertEquals(0, recover().kept());
        assertEquals(List.of(), load());
        assertFalse(Files.exists(folder.resolve("brig.db.new")));
    }
}
