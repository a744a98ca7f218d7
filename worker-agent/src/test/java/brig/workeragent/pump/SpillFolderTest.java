package brig.workeragent.pump;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Frames;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillFolderTest {
    @TempDir
    Path folder;

    private static void fill(Outbox outbox, int frames) throws InterruptedException {
        byte[] body = Frames.body(1, new Frame.Chunk(null, null, Channel.STDOUT, "x".repeat(60_000)));
        for (int i = 0; i < frames; i++) {
            assertTrue(outbox.offer(FrameType.CHUNK, body));
        }
    }

    private List<Path> found() throws IOException {
        Path base = folder.resolve("state/spill");
        if (!Files.exists(base)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(base)) {
            return all.filter(path -> !path.equals(base)).sorted().toList();
        }
    }

    private SpillFolder open(long bytesMax) throws IOException {
        return SpillFolder.open(folder.resolve("state/spill"), bytesMax);
    }

    @Test
    void shouldCloseFilesToOthersAndGiveTheFramesBack() throws Exception {
        try (SpillFolder spills = open(1 << 24)) {
            Outbox outbox = new Outbox(1 << 17, spills.of("spn_1"));
            fill(outbox, 100);
            assertEquals("rwx------", mode(folder.resolve("state/spill")));
            for (Path path : found()) {
                assertEquals(Files.isDirectory(path) ? "rwx------" : "rw-------", mode(path), path.toString());
            }
            assertTrue(found().size() > 4, "several parts");
            for (int from = 1; from <= 100; from += 9) {
                try (WaitingReader reader = WaitingReader.open(outbox, from)) {
                    assertEquals(IntStream.rangeClosed(from, 100).boxed().toList(), seqs(reader, 101 - from));
                }
            }
            outbox.ack(100);
            assertEquals(2, found().size() - 1, "the worker-agent's folder, its lock, the worker's folder");
            outbox.close();
        }
        assertEquals(List.of(), found());
    }

    private static List<Integer> seqs(WaitingReader reader, int count) throws Exception {
        StringBuilder text = new StringBuilder();
        while (text.chars().filter(c -> c == '\n').count() < count) {
            reader.take().forEach(bytes -> text.append(UTF_8.decode(bytes)));
        }
        String start = "{\"type\":\"chunk\",\"seq\":";
        return text.toString()
                .lines()
                .map(line -> Integer.parseInt(line.substring(start.length(), line.indexOf(',', start.length()))))
                .toList();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void shouldRemoveWhatADeadWorkerAgentLeftAndNothingOfALiveOne() throws Exception {
        Path dead = Files.createDirectories(folder.resolve("state/spill/dead/spn_1"));
        Files.writeString(dead.resolve("1"), "old");
        Files.writeString(dead.resolveSibling("lock"), "");
        Path elsewhere = Files.writeString(folder.resolve("precious"), "");
        Files.createSymbolicLink(dead.resolve("2"), elsewhere);
        Files.createDirectories(folder.resolve("state/spill/unlocked/spn_2"));
        try (SpillFolder live = open(1 << 24)) {
            Outbox outbox = new Outbox(1 << 17, live.of("spn_3"));
            fill(outbox, 10);
            List<Path> all = found();
            try (SpillFolder next = open(0)) {
                next.sweep();
            }
            assertFalse(Files.exists(dead.getParent()));
            assertFalse(Files.exists(folder.resolve("state/spill/unlocked")));
            assertTrue(Files.exists(elsewhere));
            assertEquals(4, found().size());
            assertTrue(all.containsAll(found()));
            live.sweep();
            assertEquals(4, found().size());
        }
    }

    @Test
    void shouldCreateNothingWhenFramesMayNotGoToDisk() throws Exception {
        try (SpillFolder off = open(0)) {
            Outbox outbox = new Outbox(1 << 17, off.of("spn_1"));
            byte[] body = Frames.body(1, new Frame.Chunk(null, null, Channel.STDOUT, "x".repeat(60_000)));
            for (int i = 0; i < 10; i++) {
                outbox.offer(FrameType.CHUNK, body);
            }
            assertEquals(3, outbox.lastSeq());
            off.sweep();
        }
        assertFalse(Files.exists(folder.resolve("state")));
    }

    @Test
    void shouldTellWhenAFileWasCut() throws Exception {
        try (SpillFolder spills = open(1 << 24)) {
            Outbox outbox = new Outbox(1 << 17, spills.of("spn_1"));
            fill(outbox, 10);
            Path file = found().getLast();
            assertTrue(Files.isRegularFile(file));
            Files.write(file, new byte[10], StandardOpenOption.TRUNCATE_EXISTING);
            WaitingReader reader = WaitingReader.open(outbox, 1);
            assertThrows(IOException.class, reader::take);
            reader.close();
            byte[] body = Frames.body(1, new Frame.Chunk(null, null, Channel.STDOUT, "x".repeat(60_000)));
            assertFalse(Stream.generate(() -> outbox.offer(FrameType.CHUNK, body))
                    .limit(3)
                    .allMatch(Boolean::booleanValue));
        }
    }
}
