package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateLockTest {
    @TempDir
    private Path folder;

    @Test
    void shouldNameTheProcessThatHasTheFolder() throws IOException {
        StateLock lock = StateLock.take(folder);
        BrigException refusal = assertThrows(BrigException.class, () -> StateLock.take(folder));
        assertEquals(ErrorCode.ALREADY_RUNNING, refusal.code());
        assertTrue(
                refusal.getMessage()
                        .contains("a gateway already runs, pid "
                                + ProcessHandle.current().pid() + ","),
                refusal::getMessage);
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("gateway.lock"))));
        lock.close();
        StateLock.take(folder).close();
    }

    @Test
    void shouldTellWhoHasAFolderAndThatNobodyHasAFreeOne() throws IOException {
        assertNull(StateLock.owner(folder));
        StateLock lock = StateLock.take(folder);
        assertEquals(String.valueOf(ProcessHandle.current().pid()), StateLock.owner(folder));
        lock.close();
        assertNull(StateLock.owner(folder));
        Files.writeString(folder.resolve("gateway.lock"), "not a pid");
        assertNull(StateLock.owner(folder));
    }

    @Test
    void shouldTakeAFolderThatAProcessLeftWhichWasKilled() throws IOException {
        Files.writeString(folder.resolve("gateway.lock"), "1\n");
        StateLock.take(folder).close();
        assertEquals(ProcessHandle.current().pid() + "\n", Files.readString(folder.resolve("gateway.lock")));
    }

    @Test
    void shouldSayWhatToDoWhenNothingCanBeWrittenThere() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        BrigException refusal = assertThrows(BrigException.class, () -> StateLock.take(file));
        assertEquals(ErrorCode.RECORD_LOST, refusal.code());
    }
}
