package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PrivateMasksTest {
    @Test
    void shouldSearchForMoreThanTheGlobsSay() {
        assertEquals(
                List.of(
                        "-H",
                        "/p[1]",
                        "(",
                        "-type",
                        "f",
                        "-o",
                        "-type",
                        "l",
                        ")",
                        "(",
                        "-name",
                        ".env",
                        "-o",
                        "-name",
                        "*.*",
                        "-o",
                        "-path",
                        "/p\\[1]/conf/?*",
                        "-o",
                        "-name",
                        "a?",
                        ")",
                        "-print0"),
                PrivateMasks.search("/p[1]", List.of(".env", "*.{pem,key}", "conf/[ab]*", "a\\*"), List.of()));
    }

    @Test
    void shouldKeepAllFoldersOfPrivateFilesInTheirPlaces() {
        assertEquals(
                List.of("/p", "/q", "/p/a", "/p/a/b"),
                PrivateMasks.foldersOf(Set.of("/p/a/b/x", "/p/y", "/q/z", "/w")));
    }
}
