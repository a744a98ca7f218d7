package brig.protocol.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketFileTest {
    @TempDir
    Path folder;

    private static ServerSocketChannel bind(Path at) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(at));
    }

    @Test
    void shouldRefuseAPathThatTheKernelCannotBind() {
        assertTrue(SocketFile.fits(Path.of("/" + "x".repeat(106))));
        assertFalse(SocketFile.fits(Path.of("/" + "é".repeat(60))), "bytes, not characters");
        BrigException refusal =
                assertThrows(BrigException.class, () -> SocketFile.prepare(Path.of("/" + "x".repeat(107))));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertTrue(refusal.getMessage().contains("has 108 bytes, 107 are possible"), refusal::getMessage);
    }

    @Test
    void shouldOpenThePlaceToNobodyBeforeItIsPublished() throws IOException {
        Path socket = folder.resolve("s/io.sock");
        Path bound = SocketFile.prepare(socket);
        try (var _ = bind(bound)) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(bound.getParent())));
            assertFalse(Files.exists(socket));
            SocketFile.publish(bound, socket);
            assertTrue(SocketFile.isLive(socket));
        }
        assertFalse(Files.exists(bound.getParent()), "nothing is left beside it");
        assertEquals("rwx--x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("s"))));
    }

    @Test
    void shouldReplaceWhatADeadProcessLeftAndRefuseALiveOne() throws IOException {
        Path socket = folder.resolve("io.sock");
        bind(socket).close();
        Path unpublished = SocketFile.prepare(socket);
        assertFalse(Files.exists(socket));
        bind(unpublished).close();
        Path bound = SocketFile.prepare(socket);
        assertFalse(Files.exists(unpublished));
        assertNotEquals(unpublished, bound, "no two servers have one address");
        assertTrue(bound.toString().length() <= socket.toString().length());
        try (var _ = bind(socket)) {
            BrigException refusal = assertThrows(BrigException.class, () -> SocketFile.prepare(socket));
            assertTrue(refusal.getMessage().contains("another process listens on " + socket), refusal::getMessage);
        }
    }
}
