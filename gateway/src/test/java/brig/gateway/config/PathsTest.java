package brig.gateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PathsTest {
    @TempDir
    private Path temp;

    private Paths paths(String own) throws IOException {
        Path file = Files.writeString(temp.resolve("own.json"), own);
        return Paths.of(ConfigFile.load(ConfigFileTest.HOME, file), Path.of("/opt/brig"));
    }

    private static String mode(Path folder) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
    }

    @Test
    void shouldUseTheClassicPlacesWhenNothingIsChosen() throws IOException {
        Paths paths = paths("{}");
        if (Paths.isRoot()) {
            assertEquals(
                    new Paths(
                            Path.of("/opt/brig"),
                            Path.of("/var/lib/brig"),
                            Path.of("/run/brig"),
                            Path.of("/run/agents"),
                            Path.of("/run/agent-spawner/spawner.sock"),
                            Path.of("/run/brig/http.sock"),
                            Path.of("/run/brig")),
                    paths);
        } else {
            assertEquals(paths.runtime().resolve("agents"), paths.agents());
            assertEquals(paths.runtime().resolve("spawner.sock"), paths.spawner());
            assertTrue(paths.state().endsWith("brig"));
        }
        assertEquals(paths.state().resolve("brig.db"), paths.database());
        assertEquals(paths.state().resolve("streams"), paths.streams());
    }

    @Test
    void shouldUseWhatIsChosenAndMakeItAbsolute() throws IOException {
        Paths paths = paths("""
                {"stateDir": "/s", "runtimeDir": "/r", "agentsDir": "agents", "spawnerSocket": "/x/s.sock",
                 "http": {"unixSocket": "/x/h.sock"}}
                """);
        assertEquals(Path.of("/s"), paths.state());
        assertEquals(Path.of("/r"), paths.runtime());
        assertEquals(Path.of("agents").toAbsolutePath(), paths.agents());
        assertEquals(Path.of("/x/s.sock"), paths.spawner());
        assertEquals(Path.of("/x/h.sock"), paths.http());
        assertEquals(Path.of("/r/w/link.sock"), paths.link());
        assertEquals(Path.of("/r/http.sock"), paths("{\"runtimeDir\": \"/r\"}").http());
    }

    @Test
    void shouldLookForTheWorkerAgentElsewhereWhenItIsAService() throws IOException {
        Paths own = paths("{\"runtimeDir\": \"/r\"}");
        assertTrue(own.ownsWorkerAgent());
        Paths service = own.withWorkerAgent(Path.of("/run/other"));
        assertEquals(Path.of("/run/other/w/link.sock"), service.link());
        assertEquals(Path.of("/r/http.sock"), service.http());
        assertFalse(service.ownsWorkerAgent());
    }

    @Test
    void shouldGiveWayToTheSpawnIdWhenATaskIdIsTooLongForTheKernel() throws IOException {
        Paths paths = paths("{\"agentsDir\": \"/a\"}");
        // /a/<task_id>/io.sock: 107 bytes are possible.
        String longest = "t".repeat(107 - "/a//io.sock".length());
        assertEquals(Path.of("/a", longest, "io.sock"), paths.sessionSocket(longest, "spn_1"));
        assertEquals(Path.of("/a/spn_1/io.sock"), paths.sessionSocket(longest + "t", "spn_1"));
    }

    @Test
    void shouldMakeFoldersThatAreOnlyAsOpenAsTheyMustBe() throws IOException {
        assertEquals("rwx------", mode(Paths.makePrivate(temp.resolve("a/b/private"))));
        assertEquals("rwx--x--x", mode(Paths.makePassable(temp.resolve("passable"))));
    }

    @Test
    void shouldSayOnceWhatToDoWhenNoFolderCanBeMade() throws IOException {
        Path inTheWay = Files.createFile(temp.resolve("file"));
        BrigException refusal =
                assertThrows(BrigException.class, () -> Paths.makePassable(inTheWay.resolve("state/brig")));
        assertEquals(ErrorCode.FORBIDDEN, refusal.code());
        assertTrue(
                refusal.getMessage().contains(inTheWay + "/state/brig")
                        && refusal.getMessage().contains("stateDir"),
                refusal::getMessage);
        assertFalse(refusal.getMessage().contains("Exception"), refusal::getMessage);
    }

    @Test
    void shouldCloseAFolderThatIsTooOpen() throws IOException {
        Path folder = Files.createDirectory(temp.resolve("open"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Paths.makePrivate(folder);
        assertEquals("rwx------", mode(folder));
    }

    @Test
    void shouldRefuseASymbolicLinkInPlaceOfAFolder() throws IOException {
        Path real = Files.createDirectory(temp.resolve("real"));
        Path link = Files.createSymbolicLink(temp.resolve("link"), real);
        Path dangling = Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("nowhere"));
        for (Path each : new Path[] {link, dangling}) {
            BrigException refusal = assertThrows(BrigException.class, () -> Paths.makePrivate(each));
            assertTrue(refusal.getMessage().contains(each.toString()), refusal::getMessage);
        }
        assertThrows(BrigException.class, () -> Paths.makePrivate(Files.createFile(temp.resolve("file"))));
    }

    @Test
    void shouldRefuseAFolderOfSomebodyElse() throws IOException {
        Path folder = Files.createDirectory(temp.resolve("theirs"));
        if (Paths.isRoot()) {
            Files.setAttribute(folder, "unix:uid", 4711);
        } else {
            folder = Path.of("/usr");
            assumeTrue(Files.isDirectory(folder));
        }
        Path theirs = folder;
        BrigException refusal = assertThrows(BrigException.class, () -> Paths.makePrivate(theirs));
        assertTrue(refusal.getMessage().contains("is not a folder of our own"), refusal::getMessage);
    }
}
