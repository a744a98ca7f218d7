package brig.workeragent.wall;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlainFileTest {
    private static final int MOST = 10;

    @TempDir
    private Path folder;

    @Test
    void shouldReadTheBeginningOfAFile() throws IOException {
        Files.writeString(folder.resolve("file"), "0123456789abc");
        assertArrayEquals("0123456789".getBytes(UTF_8), PlainFile.read(folder, "file", MOST));
        Files.writeString(Files.createDirectory(folder.resolve("d")).resolve("f"), "x");
        assertArrayEquals("x".getBytes(UTF_8), PlainFile.read(folder, "d/f", MOST));
        Files.createFile(folder.resolve("empty"));
        assertEquals(0, PlainFile.read(folder, "empty", MOST).length);
    }

    @Test
    void shouldFindNoneWhereThereIsNoFile() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "x");
        Path deep = Files.createDirectory(folder.resolve("deep"));
        Files.writeString(deep.resolve("f"), "x");
        Files.createSymbolicLink(folder.resolve("link"), file);
        Files.createSymbolicLink(folder.resolve("way"), deep);
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", folder.resolve("pipe").toString())
                        .start()
                        .waitFor());
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
            for (String none : new String[] {"none", "deep", "link", "way/f", "file/f", "pipe", "socket", "none/f"}) {
                assertNull(PlainFile.read(folder, none, MOST), none);
            }
        }
        assertNull(PlainFile.read(folder.resolve("none"), "f", MOST));
    }
}
