package brig.egress.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.egress.AuditLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    @TempDir
    Path folder;

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static AuditLine line(long ts, @Nullable String agent) {
        return new AuditLine(ts, null, agent, null, 0);
    }

    @Test
    void shouldAppendAcrossStartsAndBeClosedToOthers() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (AuditLog log =
                    AuditLog.open(folder.resolve("a"), new AuditLog.Bounds(1 << 20, 2, 0), Clock.systemUTC())) {
                log.append(line(i, null));
            }
        }
        Path file = folder.resolve("a/egress.jsonl");
        assertEquals(List.of("{\"ts\":0}", "{\"ts\":1}", "{\"ts\":2}"), Files.readAllLines(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a"))));
    }

    @Test
    void shouldLoseNothingWhenItRotatesAndDeleteTheOldest() throws IOException {
        try (AuditLog log = AuditLog.open(folder, new AuditLog.Bounds(4096, 1000, 0), Clock.systemUTC())) {
            for (int i = 0; i < 2000; i++) {
                log.append(line(i, "x".repeat(50)));
            }
        }
        List<Long> numbers = new ArrayList<>();
        for (Path file : files(folder)) {
            assertTrue(Files.size(file) <= 4096, file.toString());
            for (String line : Files.readAllLines(file)) {
                numbers.add(Json.read(line.getBytes(StandardCharsets.UTF_8), AuditLine.class)
                        .ts());
            }
        }
        assertEquals(2000, numbers.stream().distinct().count());
        try (AuditLog log = AuditLog.open(folder, new AuditLog.Bounds(4096, 3, 0), Clock.systemUTC())) {
            for (int i = 0; i < 100; i++) {
                log.append(line(i, "x".repeat(50)));
            }
        }
        assertEquals(4, files(folder).size());
    }

    @Test
    void shouldDeleteWhatIsTooOld() throws IOException {
        Instant now = Instant.parse("2026-01-10T00:00:00Z");
        Path old = Files.writeString(folder.resolve("egress-20260101T000000.000Z.jsonl"), "{}\n");
        Files.setLastModifiedTime(old, FileTime.from(now.minusSeconds(9 * 86_400)));
        Path young = Files.writeString(folder.resolve("egress-20260109T000000.000Z.jsonl"), "{}\n");
        Files.setLastModifiedTime(young, FileTime.from(now.minusSeconds(86_400)));
        try (AuditLog log = AuditLog.open(
                folder, new AuditLog.Bounds(4096, 100, 3 * 86_400_000L), Clock.fixed(now, ZoneOffset.UTC))) {
            log.append(line(0, "x".repeat(4000)));
            log.append(line(0, "x".repeat(4000)));
        }
        assertTrue(Files.notExists(old));
        assertTrue(Files.exists(young));
    }

    @Test
    void shouldGoOnWhenItsFolderWasTakenAway() throws IOException {
        Path gone = folder.resolve("gone");
        try (AuditLog log = AuditLog.open(gone, new AuditLog.Bounds(4096, 100, 0), Clock.systemUTC())) {
            Files.delete(gone.resolve("egress.jsonl"));
            for (int i = 0; i < 100; i++) {
                log.append(line(0, "x".repeat(100)));
            }
        }
        assertTrue(Files.exists(gone));
    }
}
