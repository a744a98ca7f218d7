package brig.egress.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.egress.AuditLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditFilesTest {
    private static final int CHUNK = 4096;

    @TempDir
    Path folder;

    private final List<String> read = new ArrayList<>();
    private String position = "";

    private void readAll(int bytesMax) throws IOException {
        AuditFiles files = new AuditFiles(folder);
        for (AuditFiles.Part part = files.read(position, bytesMax);
                !part.next().equals(position);
                part = files.read(position, bytesMax)) {
            read.addAll(part.lines());
            position = part.next();
        }
    }

    private static List<String> lines(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "{\"ts\":" + i + "}").toList();
    }

    private void append(Clock clock, AuditLog.Bounds bounds, int from, int to) throws IOException {
        try (AuditLog log = AuditLog.open(folder, bounds, clock)) {
            IntStream.range(from, to).forEach(i -> log.append(AuditLine.lost(i, 0)));
        }
    }

    @Test
    void shouldReadEachLineOnceWhateverIsPutAsideMeanwhile() throws IOException {
        // Scenario: files of 4 KiB are rotated under a clock that jumps back and forth; a reader reads now and then.
        Random random = new Random(7);
        int written = 0;
        while (written < 20_000) {
            int more = random.nextInt(1500);
            Instant now = Instant.ofEpochSecond(1_800_000_000L + random.nextInt(100) - 50);
            append(Clock.fixed(now, ZoneOffset.UTC), new AuditLog.Bounds(4096, 10_000, 0), written, written + more);
            written += more;
            if (random.nextInt(3) > 0) {
                readAll(100 + random.nextInt(CHUNK));
            }
        }
        readAll(CHUNK);
        assertEquals(lines(0, written), read);
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.count() > 20, "it was rotated often");
        }
    }

    @Test
    void shouldGoOnWithTheOldestThatIsThereWhenFilesWereDeletedUnread() throws IOException {
        AuditLog.Bounds few = new AuditLog.Bounds(4096, 2, 0);
        append(Clock.systemUTC(), few, 0, 50);
        readAll(CHUNK);
        append(Clock.systemUTC(), few, 50, 5_000);
        long oldest = new AuditFiles(folder).read(position, CHUNK).oldestMs();
        readAll(CHUNK);
        assertTrue(oldest > 50, "files were deleted");
        assertEquals(lines(0, 50), read.subList(0, 50));
        assertEquals(lines((int) oldest, 5_000), read.subList(50, read.size()));
    }

    @Test
    void shouldWaitForTheEndOfALineAndLeaveOutOneThatIsTooLong() throws IOException {
        Path file = Files.writeString(folder.resolve("egress.jsonl"), "{\"ts\":0}\n{\"ts\"");
        readAll(CHUNK);
        assertEquals(lines(0, 1), read);
        Files.writeString(file, ":1}\n" + "x".repeat(2 * CHUNK) + "\n{\"ts\":2}\n", StandardOpenOption.APPEND);
        readAll(CHUNK);
        assertEquals("{\"ts\":1}", read.get(1));
        assertEquals("{\"ts\":2}", read.getLast());
    }

    @Test
    void shouldHaveNothingWhenThereIsNoAuditAndRefuseWhatIsNoPosition() throws IOException {
        AuditFiles none = new AuditFiles(folder.resolve("none"));
        assertEquals(new AuditFiles.Part(List.of(), "|0|0", 0), none.read("", CHUNK));
        assertThrows(BrigException.class, () -> none.read("x", CHUNK));
        assertThrows(BrigException.class, () -> none.read("a|b|c", CHUNK));
    }
}
