package brig.workeragent.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeersTest {
    private static final int NOBODY = 65_534;
    private static final int STRANGER = 4_711;

    @TempDir
    Path folder;

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static int owner(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }

    @Test
    void shouldTrustRootAndItselfWhenNobodyElseIsNamed() throws IOException {
        Peers peers = Peers.of(null);
        assertTrue(peers.isTrusted(0));
        assertTrue(peers.isTrusted(owner(Files.createFile(folder.resolve("own")))));
        assertFalse(peers.isTrusted(STRANGER));
        assertFalse(peers.areOthers());
    }

    @Test
    void shouldTrustGatewaysUserWhenItIsNamed() throws IOException {
        Peers peers = Peers.of("nobody");
        assertTrue(peers.isTrusted(0));
        assertTrue(peers.isTrusted(NOBODY));
        assertFalse(peers.isTrusted(STRANGER));
        assertTrue(peers.areOthers());
        assertTrue(Peers.of(String.valueOf(NOBODY)).isTrusted(NOBODY));
    }

    @Test
    void shouldRefuseToStartWhenThereIsNoSuchUser() {
        BrigException refusal = assertThrows(BrigException.class, () -> Peers.of("no-such-user"));
        assertTrue(refusal.getMessage().contains("'no-such-user'"), refusal::getMessage);
    }

    @Test
    void shouldGiveSocketsAndNoMoreToGatewaysUser() throws IOException {
        assumeTrue(owner(folder) == 0, "giving files away needs root");
        try (RuntimeFolder runtime = RuntimeFolder.open(folder, "nobody");
                UnixListener listener = UnixListener.open(runtime.linkSocket(), runtime.peers(), 4, channel -> {})) {
            assertEquals("rw-------", mode(listener.path()));
            assertEquals(NOBODY, owner(listener.path()));
            assertEquals("rwx--x--x", mode(folder.resolve("w")));
            assertEquals(0, owner(folder.resolve("w")));
            assertEquals("rw-------", mode(folder.resolve("w/lock")));
        }
    }

    @Test
    void shouldCloseFolderWhenGatewayIsOfOurUser() throws IOException {
        try (RuntimeFolder runtime = RuntimeFolder.open(folder, null);
                UnixListener listener = UnixListener.open(runtime.linkSocket(), runtime.peers(), 4, channel -> {})) {
            assertEquals("rwx------", mode(folder.resolve("w")));
            assertEquals("rw-------", mode(listener.path()));
        }
    }
}
