package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReasonTest {
    @Test
    void shouldNameTheFileAndNoClass() {
        assertEquals("permission denied", Reason.of(new AccessDeniedException("/a")));
        assertEquals("/a: permission denied", Reason.withFile(new AccessDeniedException("/a")));
        assertEquals(
                "/a: there is no such file",
                Reason.withFile(new DirectoryIteratorException(new NoSuchFileException("/a"))));
        assertEquals("/a: Is a directory", Reason.withFile(new FileSystemException("/a", null, "Is a directory")));
        assertEquals("Broken pipe", Reason.withFile(new UncheckedIOException(new IOException("Broken pipe"))));
        assertEquals("other", Reason.withFile(new IllegalStateException("other")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", "Disk quota exceeded", "Read-only file system"})
    void shouldBlameTheDiskWhenItTakesNothing(String kernelSays) {
        BrigException full = Reason.refusal(ErrorCode.INTERNAL, "cannot note it", new IOException(kernelSays));
        assertEquals(ErrorCode.RECORD_LOST, full.code());
        assertEquals(
                "cannot note it: " + kernelSays + "; the disk is full, or takes no writes: make room there",
                full.getMessage());
        FileSystemException named = new FileSystemException("/a", null, kernelSays);
        assertEquals(
                ErrorCode.RECORD_LOST,
                Reason.refusal(ErrorCode.INTERNAL, "cannot note it", named).code());
    }

    @Test
    void shouldKeepTheCodeWhenTheDiskIsNotToBlame() {
        BrigException other =
                Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "cannot write", new AccessDeniedException("/a"));
        assertEquals(ErrorCode.SANDBOX_UNAVAILABLE, other.code());
        assertEquals("cannot write: /a: permission denied", other.getMessage());
    }
}
