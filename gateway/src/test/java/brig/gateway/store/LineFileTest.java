package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sparse index, on files of several mebibytes with lines of one byte to 64 KiB. */
class LineFileTest {
    private static final long FIRST = 1001;
    private static final int LINES = 3_000;

    @TempDir
    private Path temp;

    private final String[] lines = new String[LINES];

    /** Writes the file as an archive does, a batch of lines at a time, and tells {@code noted} of each. */
    private Path write(LineFile noted) throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        Path file = noted.path();
        long offset = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < LINES; ) {
                StringBuilder batch = new StringBuilder();
                int first = i;
                for (int n = 1 + random.nextInt(9); n > 0 && i < LINES; n--) {
                    int length = random.nextInt(20) == 0 ? random.nextInt(65_000) : random.nextInt(2_000);
                    lines[i] = (FIRST + i) + "x".repeat(length) + "\n";
                    batch.append(lines[i++]);
                }
                byte[] bytes = batch.toString().getBytes(StandardCharsets.US_ASCII);
                out.write(bytes);
                noted.appended(FIRST + first, offset, bytes.length, 0);
                offset += bytes.length;
            }
        }
        assertTrue(offset > 4 << 20, () -> "several MiB");
        return file;
    }

    private void checkEveryLine(LineFile file) throws IOException {
        for (int i = 0; i < LINES; i++) {
            String text = new String(file.read(FIRST + i, 1).lines(), StandardCharsets.US_ASCII);
            assertTrue(
                    text.startsWith(lines[i]),
                    "line " + (FIRST + i) + " begins " + text.substring(0, Math.min(20, text.length())));
        }
    }

    @Test
    void shouldFindEveryLineWhenItWroteTheFileItself() throws IOException {
        LineFile file = LineFile.created(temp.resolve("lines"), FIRST);
        write(file);
        checkEveryLine(file);
        assertEquals(Files.size(file.path()), file.bytes());
    }

    @Test
    void shouldFindEveryLineWhenAnEarlierProcessWroteTheFile() throws IOException {
        Path path = write(LineFile.created(temp.resolve("lines"), FIRST));
        checkEveryLine(LineFile.found(path, FIRST));
    }

    @Test
    void shouldFindEveryLineWhenItRecoveredTheFile() throws IOException {
        Path path = write(LineFile.created(temp.resolve("lines"), FIRST));
        long whole = Files.size(path);
        Files.writeString(path, "torn".repeat(40_000), StandardOpenOption.APPEND);
        LineFile file = LineFile.found(path, FIRST);

        assertEquals(FIRST + LINES, file.recover());

        assertEquals(whole, Files.size(path));
        assertEquals(whole, file.bytes());
        checkEveryLine(file);
    }

    @Test
    void shouldReadTheWholeFileInPiecesWhenEachBeginsWhereTheLastEnded() throws IOException {
        LineFile file = LineFile.created(temp.resolve("lines"), FIRST);
        Path path = write(file);
        StringBuilder all = new StringBuilder();
        int pieces = 0;
        for (long seq = FIRST; seq < FIRST + LINES; pieces++) {
            String piece = new String(file.read(seq, 64 * 1024).lines(), StandardCharsets.US_ASCII);
            seq += piece.chars().filter(c -> c == '\n').count();
            all.append(piece);
        }
        assertEquals(Files.readString(path), all.toString());
        assertTrue(pieces < 2 * Files.size(path) / (64 * 1024), "pieces are about as large as asked for");
    }

    @Test
    void shouldReadNothingWhenAskedBehindItsEndOrWhileItIsEmpty() throws IOException {
        LineFile empty = LineFile.created(temp.resolve("empty"), FIRST);
        Files.createFile(empty.path());
        assertEquals(0, empty.read(FIRST, 100).lines().length);
        assertEquals(FIRST, LineFile.found(empty.path(), FIRST).recover());

        LineFile file = LineFile.created(temp.resolve("lines"), FIRST);
        write(file);
        assertEquals(0, file.read(FIRST + LINES, 100).lines().length);
        assertEquals(0, file.read(FIRST + 10 * LINES, 100).lines().length);
        assertEquals(0, file.read(FIRST - 1, 100).lines().length);
    }
}
