package brig.gateway.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.Frames;
import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamArchive;
import brig.gateway.stream.StreamArchiveContract;
import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStreamArchiveTest extends StreamArchiveContract {
    private static final int BYTES_MAX = 1024 * 1024;

    @TempDir
    private Path temp;

    private Path folder() {
        return temp.resolve("spn_1");
    }

    @Override
    protected FileStreamArchive open(Executor diskThread, Executor eventLoop) {
        return new FileStreamArchive(folder(), BYTES_MAX, diskThread, eventLoop);
    }

    /** Opens what an earlier archive left. */
    private FileStreamArchive reopen(long lastSeqExpected) {
        FileStreamArchive archive = open(disk, loop);
        assertEquals(lastSeqExpected, opened(archive));
        return archive;
    }

    private long opened(FileStreamArchive archive) {
        return settled(archive.open());
    }

    private long settled(CompletionStage<Long> lastSeq) {
        CompletableFuture<Long> opened = lastSeq.toCompletableFuture();
        settle();
        assertTrue(opened.isDone(), "it answers in every case");
        return opened.join();
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".ndjson"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long sizeOfAll() {
        return files().stream().mapToLong(FileStreamArchiveTest::size).sum();
    }

    /** Writes frames of 10 KiB, four at a time, and returns the number of the last. */
    private long fill(StreamArchive archive, long first, long frames) {
        for (long seq = first; seq < first + frames; seq += 4) {
            StringBuilder lines = new StringBuilder();
            for (long i = seq; i < seq + 4; i++) {
                lines.append(big(i));
            }
            assertFalse(append(archive, seq, seq + 3, lines.toString())
                    .toCompletableFuture()
                    .isCompletedExceptionally());
        }
        return first + frames - 1;
    }

    private static String big(long seq) {
        return Frames.frame(seq).replace("\"}", "x".repeat(10_000) + "\"}");
    }

    @Test
    void shouldMakeNoFolderWhenNothingIsWritten() {
        reopen(0);
        assertFalse(Files.exists(folder()));
    }

    @Test
    void shouldDeleteTheOldestFilesWhenTheBoundIsReached() {
        StreamArchive archive = open(disk, loop);
        long last = fill(archive, 1, 400);

        assertTrue(files().size() > 4, "rotation, not one file");
        // The newest file is closed behind the write that fills it, so one write may stand above the bound.
        assertTrue(sizeOfAll() <= BYTES_MAX + 64 * 1024, () -> sizeOfAll() + " bytes");
        assertTrue(sizeOfAll() >= BYTES_MAX / 2, () -> sizeOfAll() + " bytes");
        long first = archive.firstSeq();
        assertTrue(first > 250 && first < last, () -> "the oldest is " + first);
        assertEquals(
                "%020d.ndjson".formatted(first),
                files().getFirst().getFileName().toString());

        StreamArchive.Stored oldest = read(archive, 1, 1);
        assertEquals(first, oldest.firstSeq());
        assertEquals(big(first), text(oldest));
        assertEquals(big(first - 1).length(), big(first).length());
        for (long seq = first; seq <= last; seq++) {
            assertEquals(big(seq), text(read(archive, seq, 1)));
        }
    }

    @Test
    void shouldForgetWhatStandsBehindAGapWhenItIsOpenedForThat() {
        StreamArchive before = open(disk, loop);
        append(before, 1, 5);
        append(before, 9, 12);
        append(before, 20, 21);
        FileStreamArchive archive = open(disk, loop);
        assertEquals(5, settled(archive.openToGap()));
        assertEquals(1, files().size());
        append(archive, 6, 9);
        FileStreamArchive again = open(disk, loop);
        assertEquals(9, settled(again.openToGap()));
        assertEquals(Frames.frame(9), text(read(again, 9, 1)));
    }

    @Test
    void shouldForgetAllWhenTheGapIsBeforeTheFirstFrame() {
        append(open(disk, loop), 3, 5);
        assertEquals(0, settled(open(disk, loop).openToGap()));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldNotTakeForAGapWhatItDeletedToKeepItsBound() {
        StreamArchive before = open(disk, loop);
        long last = fill(before, 1, 400);
        FileStreamArchive archive = open(disk, loop);
        assertEquals(last, settled(archive.openToGap()));
        assertEquals(before.firstSeq(), archive.firstSeq());
    }

    @Test
    void shouldGoOnInANewFileWhenItIsOpenedAfterARestart() {
        append(open(disk, loop), 1, 5);
        FileStreamArchive archive = reopen(5);
        assertEquals(1, archive.firstSeq());
        append(archive, 6, 9);

        assertEquals(2, files().size());
        for (long from = 1; from <= 9; from++) {
            assertTrue(text(read(archive, from, 1 << 20)).startsWith(Frames.frame(from)));
        }
        assertEquals(Frames.frames(1, 5), text(read(archive, 1, 1 << 20)));
        assertEquals(Frames.frames(6, 9), text(read(archive, 6, 1 << 20)));
        reopen(9);
    }

    @Test
    void shouldKeepToTheBoundWhenMostWasWrittenBeforeARestart() {
        long last = fill(open(disk, loop), 1, 100);
        FileStreamArchive archive = reopen(last);
        long newest = fill(archive, last + 1, 100);
        assertTrue(sizeOfAll() <= BYTES_MAX + 64 * 1024, () -> sizeOfAll() + " bytes");
        assertEquals(big(newest), text(read(archive, newest, 1)));
        assertTrue(archive.firstSeq() > 1);
    }

    @Test
    void shouldCutOffALineThatAnEarlierProcessDidNotFinish() throws IOException {
        append(open(disk, loop), 1, 5);
        Path file = files().getFirst();
        Files.writeString(file, "{\"type\":\"chunk\",\"se", StandardOpenOption.APPEND);

        FileStreamArchive archive = reopen(5);

        assertEquals(Frames.frames(1, 5), Files.readString(file));
        append(archive, 6, 6);
        assertEquals(Frames.frame(6), text(read(archive, 6, 1000)));
    }

    @Test
    void shouldBeginTheFileAgainWhenItsOnlyLineWasNotFinished() throws IOException {
        append(open(disk, loop), 1, 5);
        Path torn = folder().resolve("%020d.ndjson".formatted(6));
        Files.writeString(torn, "{\"type\"");

        FileStreamArchive archive = reopen(5);
        append(archive, 6, 7);

        assertEquals(Frames.frames(6, 7), text(read(archive, 6, 1000)));
        assertEquals(Frames.frames(6, 7), Files.readString(torn));
    }

    @Test
    void shouldShowAGapWhenAnOlderFileWasNotFinished() throws IOException {
        // An earlier process could not write the end of its file, nor cut it; then it began another one.
        append(open(disk, loop), 1, 5);
        Files.writeString(files().getFirst(), "{\"type\":\"chunk\",\"se", StandardOpenOption.APPEND);
        Files.writeString(folder().resolve("%020d.ndjson".formatted(8)), Frames.frames(8, 9));

        FileStreamArchive archive = reopen(9);

        assertEquals(Frames.frames(4, 5), text(read(archive, 4, 1000)));
        StreamArchive.Stored behind = read(archive, 6, 1000);
        assertEquals(8, behind.firstSeq());
        assertEquals(Frames.frames(8, 9), text(behind));
    }

    @Test
    void shouldPassOverFilesThatAreNotItsOwn() throws IOException {
        append(open(disk, loop), 1, 5);
        Files.writeString(folder().resolve("notes.ndjson"), "mine");
        Files.writeString(folder().resolve("README"), "mine");
        reopen(5);
    }

    @Test
    void shouldFailEachWriteAndGoOnInANewFileWhenTheFolderIsGoneForAWhile() throws IOException {
        // Portable on every file system and for every user: a file stands where the folder should be.
        Files.writeString(folder(), "in the way");
        StreamArchive archive = open(disk, loop);
        CompletableFuture<Void> refused = append(archive, 1, 3).toCompletableFuture();
        assertTrue(refused.isCompletedExceptionally());
        assertTrue(refused.handle((nothing, failure) -> failure).join() instanceof IOException
                || refused.handle((nothing, failure) -> failure).join() instanceof CompletionException);
        assertEquals(Long.MAX_VALUE, archive.firstSeq());

        Files.delete(folder());
        append(archive, 4, 6);

        assertEquals(4, archive.firstSeq());
        assertEquals(Frames.frames(4, 6), text(read(archive, 1, 1000)));
    }

    @Test
    void shouldKeepWhatItHasWhenAFileCannotBeBegun() throws IOException {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        // A jump asks for a file of its own; a folder stands in its place.
        Path inTheWay = Files.createDirectories(
                folder().resolve("%020d.ndjson".formatted(7)).resolve("x"));
        assertTrue(append(archive, 7, 8).toCompletableFuture().isCompletedExceptionally());

        Files.delete(inTheWay);
        Files.delete(inTheWay.getParent());
        append(archive, 9, 10);

        assertEquals(Frames.frames(1, 3), text(read(archive, 1, 1000)));
        assertEquals(9, read(archive, 4, 1000).firstSeq());
        reopen(10);
    }

    @Test
    void shouldGoOnWhenSomebodyDeletedAnOldFile() throws IOException {
        StreamArchive archive = open(disk, loop);
        fill(archive, 1, 60);
        Files.delete(files().getFirst());
        long last = fill(archive, 61, 200);
        assertEquals(big(last), text(read(archive, last, 1)));
    }

    private static void flip(Path file, long offset) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) offset] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void shouldSkipWhatIsNotAsItWasWrittenAndSaySoWhicheverByteItIs() throws IOException {
        append(open(disk, loop), 1, 3);
        StreamArchive archive = reopen(3);
        append(archive, 4, 6);
        append(archive, 7, 9);
        Path second = files().get(1);
        byte[] whole = Files.readAllBytes(second);
        int firstBlock = Frames.frames(4, 6).length();
        for (int offset = 0; offset < firstBlock; offset++) {
            flip(second, offset);
            for (StreamArchive each : List.of(archive, reopen(9))) {
                assertEquals(Frames.frames(1, 3), text(read(each, 1, 1 << 20)));
                for (long from = 4; from <= 6; from++) {
                    StreamArchive.Stored behind = read(each, from, 1 << 20);
                    assertEquals(7, behind.firstSeq(), "byte " + offset);
                    assertEquals(Frames.frames(7, 9), text(behind));
                    assertEquals(GapReason.RECORD_DAMAGED, behind.missing());
                }
                assertEquals(Frames.frames(8, 9), text(read(each, 8, 1 << 20)));
            }
            Files.write(second, whole);
        }
        assertEquals(Frames.frames(4, 9), text(read(archive, 4, 1 << 20)));
    }

    @Test
    void shouldServeNothingThatItsChecksumDoesNotSpeakForWhicheverByteOfThatIsWrong() throws IOException {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 3);
        append(archive, 4, 6);
        append(archive, 7, 9);
        Path sums = files().getFirst().resolveSibling("%020d.ndjson.crc32c".formatted(1));
        byte[] whole = Files.readAllBytes(sums);
        assertEquals(3 * 24, whole.length);
        for (int offset = 24; offset < 48; offset++) {
            flip(sums, offset);
            StreamArchive each = reopen(9);
            assertEquals(
                    Frames.frames(1, 3), text(read(each, 1, Frames.frames(1, 3).length())));
            StreamArchive.Stored behind = read(each, 4, 1 << 20);
            assertEquals(0, behind.lines().length, "byte " + offset);
            assertEquals(GapReason.RECORD_DAMAGED, behind.missing());
            Files.write(sums, whole);
        }
    }

    /** Scenario: a reader follows a stream of many small appends; each piece must not cost what the whole file does. */
    @Test
    void shouldReadThePieceOfALongFileWithoutTheChecksumsOfAllOfIt() {
        int appends = 20_000;
        FileStreamArchive archive = new FileStreamArchive(folder(), 64 << 20, disk, loop);
        for (long seq = 1; seq <= appends; seq++) {
            append(archive, seq, seq);
        }
        FileStreamArchive again = new FileStreamArchive(folder(), 64 << 20, disk, loop);
        opened(again);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (StreamArchive each : List.of(archive, again)) {
            assertEquals(Frames.frame(appends), text(read(each, appends, 1)));
            long before = threads.getCurrentThreadAllocatedBytes();
            assertEquals(Frames.frame(appends), text(read(each, appends, 1)));
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            // Its entries have 24 bytes for each append.
            assertTrue(bytes < 24L * appends, () -> "read with " + bytes + " bytes of memory");
        }
    }

    @Test
    void shouldTakeWhatIsCutOffForDamageAndNotUseItsNumbersAgain() throws IOException {
        append(open(disk, loop), 1, 9);
        byte[] whole = Files.readAllBytes(files().getFirst());
        Files.write(files().getFirst(), Arrays.copyOf(whole, whole.length / 2));
        StreamArchive archive = reopen(9);
        append(archive, 10, 11);
        StreamArchive.Stored behind = read(archive, 1, 1 << 20);
        assertEquals(10, behind.firstSeq());
        assertEquals(GapReason.RECORD_DAMAGED, behind.missing());
    }

    @Test
    void shouldFindEveryFrameOfALongAppendAndLoseOnlyItWhenItIsDamaged() throws IOException {
        StreamArchive archive = open(disk, loop);
        List<ByteBuf> pieces = new ArrayList<>();
        for (long seq = 1; seq <= 40; seq++) {
            pieces.add(Unpooled.copiedBuffer(big(seq), StandardCharsets.UTF_8));
        }
        var _ = archive.append(1, 40, Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new)));
        settle();
        append(archive, 41, 43);
        assertTrue(
                size(files().getFirst().resolveSibling("%020d.ndjson.crc32c".formatted(1))) > 5 * 24,
                "more than a block");
        for (StreamArchive each : List.of(archive, reopen(43))) {
            for (long seq = 1; seq <= 40; seq++) {
                assertEquals(big(seq), text(read(each, seq, 1)));
            }
            assertEquals(Frames.frames(41, 43), text(read(each, 41, 1 << 20)));
        }
        flip(files().getFirst(), big(1).length() * 20L);
        StreamArchive after = reopen(43);
        assertEquals(big(1), text(read(after, 1, 1)), "a block before it");
        StreamArchive.Stored behind = read(after, 20, 1 << 20);
        assertEquals(41, behind.firstSeq());
        assertEquals(GapReason.RECORD_DAMAGED, behind.missing());
    }

    @Test
    void shouldReadARecordOfBeforeThereWereChecksums() throws IOException {
        StreamArchive archive = open(disk, loop);
        append(archive, 1, 5);
        try (Stream<Path> files = Files.list(folder())) {
            for (Path file :
                    files.filter(file -> !file.toString().endsWith(".ndjson")).toList()) {
                Files.delete(file);
            }
        }
        assertEquals(Frames.frames(2, 5), text(read(reopen(5), 2, 1 << 20)));
    }

    @Test
    void shouldTellWhatWasDeletedForTheBoundFromWhatIsLost() throws IOException {
        StreamArchive lost = open(disk, loop);
        append(lost, 4, 6);
        assertEquals(GapReason.RECORD_LOST, read(lost, 1, 1000).missing());
        append(lost, 9, 10);
        assertEquals(GapReason.RECORD_LOST, read(lost, 7, 1000).missing());
        assertEquals(GapReason.RECORD_LOST, read(reopen(10), 1, 1000).missing());
        long last = fill(lost, 11, 400);
        assertEquals(GapReason.EVICTED, read(lost, 1, 1000).missing());
        assertEquals(GapReason.EVICTED, read(reopen(last), 1, 1000).missing());
    }

    @Test
    void shouldReadOnBehindAFileThatSomebodyDeleted() throws IOException {
        append(open(disk, loop), 1, 3);
        StreamArchive archive = reopen(3);
        append(archive, 4, 6);
        Files.delete(files().getFirst());
        StreamArchive.Stored behind = read(archive, 1, 1000);
        assertEquals(4, behind.firstSeq());
        assertEquals(GapReason.RECORD_LOST, behind.missing());
        Files.delete(files().getFirst());
        assertEquals(0, read(archive, 1, 1000).lines().length);
    }
}
