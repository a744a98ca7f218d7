package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathMapTest {
    private static final PathMap MAP =
            new PathMap(Map.of("/mnt/app", "/srv/app", "/mnt/app/lib", "/opt/lib", "/a", "/b"));

    @ParameterizedTest
    @CsvSource({
        "/mnt/app, /srv/app",
        "/mnt/app/x/y, /srv/app/x/y",
        "/mnt/app/lib, /opt/lib",
        "/mnt/app/lib/z, /opt/lib/z",
        "/a/b, /b/b",
        "/mnt/apple, /mnt/apple",
        "/mnt, /mnt",
        "/usr/bin, /usr/bin",
    })
    void shouldTranslateWholeFoldersOnly(String local, String remote) {
        assertEquals(remote, MAP.toRemote(local));
        assertEquals(local, MAP.toLocal(remote));
    }

    @Test
    void shouldKnowNoPlaceForWhatAFolderOfTheWallHides() {
        assertNull(MAP.toLocal("/mnt/app/x"));
        assertNull(MAP.toLocal("/a"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cat /mnt/app/x|cat /srv/app/x",
                "cd /mnt/app && ls|cd /srv/app && ls",
                "cd /mnt/app;ls|cd /srv/app;ls",
                "X=/mnt/app:/a|X=/srv/app:/b",
                "echo \"/mnt/app\"|echo \"/srv/app\"",
                "see /mnt/app.|see /srv/app.",
                "cat /mnt/app.txt /mnt/apple|cat /mnt/app.txt /mnt/apple",
                "cat /x/mnt/app ./mnt/app|cat /x/mnt/app ./mnt/app",
                "/mnt/app/lib/a /mnt/app/libs|/opt/lib/a /srv/app/libs",
                "cat /a/a/a|cat /b/a/a",
                "--file=/a/x|--file=/b/x",
                "scp h:/a/x|scp h:/b/x",
            })
    void shouldTranslatePathsInACommand(String local, String remote) {
        assertEquals(remote, MAP.textToRemote(local));
    }

    @Test
    void shouldChangeNothingWithoutDifferentPaths() {
        PathMap same = new PathMap(Map.of("/home/me/app", "/home/me/app"));
        assertEquals("cat /home/me/app/x", same.textToRemote("cat /home/me/app/x"));
        assertEquals("/etc", same.toLocal("/etc"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "/", "/a/", "/a//b", "/a/../b", "/a/.", "/a\n"})
    void shouldRefuseWhatIsNoNormalFolder(String folder) {
        assertThrows(IllegalArgumentException.class, () -> new PathMap(Map.of(folder, "/x")));
        assertThrows(IllegalArgumentException.class, () -> new PathMap(Map.of("/x", folder)));
    }

    @Test
    void shouldRefuseTwoFoldersAtOnePlace() {
        assertThrows(IllegalArgumentException.class, () -> new PathMap(Map.of("/x", "/z", "/y", "/z")));
    }
}
