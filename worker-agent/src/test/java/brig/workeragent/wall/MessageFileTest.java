package brig.workeragent.wall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.sandbox.WorkerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages on their way into a wall. */
class MessageFileTest {
    private static final WorkerIdentity OURSELVES = new WorkerIdentity(1, 1, false);

    @TempDir
    Path folder;

    @Test
    void shouldBeForItsUserAloneAndGoneWhenItIsHandedOver() throws IOException {
        Path path;
        try (MessageFile file = MessageFile.write(folder, "éa\n\n", OURSELVES)) {
            path = file.path();
            assertEquals("éa\n\n", Files.readString(path));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            assertTrue(file.mount().readOnly());
        }
        assertFalse(Files.exists(path));
    }

    @Test
    void shouldRefuseANulAsAnArgumentDoes() {
        BrigException refusal = assertThrows(BrigException.class, () -> MessageFile.write(folder, "a\0b", OURSELVES));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
    }

    @Test
    void shouldRemoveWhatADeadPredecessorWasHandingOver() throws IOException {
        MessageFile left = MessageFile.write(folder, "of before", OURSELVES);
        MessageFile.sweep(folder);
        assertFalse(Files.exists(left.path()));
    }
}
