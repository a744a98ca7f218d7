package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class TunnelCommandTest {
    private static List<SpawnRequest.Tunnel> tunnels(String words, String... maps) {
        return TunnelCommand.tunnels(List.of(words.split(" ")), List.of(maps));
    }

    private static SpawnRequest.Tunnel tunnel(String host, String folder, String at) {
        return new SpawnRequest.Tunnel(host, folder, at);
    }

    @Test
    void shouldTakeTheHostsInFrontOfTheAgent() {
        assertEquals(List.of(tunnel("build1", "~", null)), tunnels("build1 claude build2:/x"));
        assertEquals(
                List.of(tunnel("build1", "/srv/app", null), tunnel("build2", "~", null), tunnel("c", "/d", "/e")),
                tunnels("build1:/srv/app build2: c:/d=/e claude x: y"));
        assertEquals(List.of(tunnel("build1", "/a", null)), tunnels("build1:/a"));
    }

    @Test
    void shouldMapTheFoldersOfNamedHosts() {
        assertEquals(
                List.of(tunnel("a", "/x", "/one"), tunnel("b", "/x", "/two")),
                tunnels("a:/x b:/x claude", "/one", "b=/two"));
        assertEquals(List.of(tunnel("a", "~", "/one")), tunnels("a", "/one"));
        assertThrows(BrigException.class, () -> tunnels("a:/x claude", "b=/two"));
        assertThrows(BrigException.class, () -> tunnels("a:/x claude", "two"));
    }
}
