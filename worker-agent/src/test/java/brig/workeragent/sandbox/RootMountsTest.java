package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No mount of a wall follows a link of the image, and its own places are never the image's. */
class RootMountsTest {
    @TempDir
    Path image;

    private List<String> options(String... targets) throws SandboxException {
        List<String> options = new ArrayList<>();
        WallProfile profile = WallProfile.of(Path.of("/w"))
                .with(Stream.of(targets)
                        .map(target -> new WallProfile.Mount(Path.of("/source"), Path.of(target), true))
                        .toList())
                .withImage(image);
        new RootMounts(Path.of("/")).add(options, profile);
        return options;
    }

    private List<String> bound(String path) {
        return List.of("--ro-bind", image + path, path);
    }

    private static List<String> all(List<List<String>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }

    @Test
    void shouldMountTopFoldersAndLinksOfImage() throws Exception {
        Files.createDirectories(image.resolve("usr/bin"));
        Files.createSymbolicLink(image.resolve("bin"), Path.of("usr/bin"));
        Files.writeString(image.resolve("file"), "");
        assertEquals(all(List.of(List.of("--symlink", "usr/bin", "/bin"), bound("/file"), bound("/usr"))), options());
    }

    @Test
    void shouldLeaveOutWhatIsTheWallsOwn() throws Exception {
        for (String own : List.of("proc", "sys", "dev", "run", "etc", "home", "tmp", "boot")) {
            Files.createSymbolicLink(image.resolve(own), Path.of("/oldroot"));
        }
        Files.createSymbolicLink(image.resolve("workspace"), Path.of("/oldroot"));
        assertEquals(List.of(), options());
    }

    @Test
    void shouldMakeFolderAnewWhenSomethingIsMountedBelowIt() throws Exception {
        Files.createDirectories(image.resolve("opt/brig/program"));
        Files.createDirectories(image.resolve("opt/tool"));
        Files.createSymbolicLink(image.resolve("opt/brig/link"), Path.of("/oldroot"));
        assertEquals(
                all(List.of(
                        List.of("--perms", "0755", "--dir", "/opt"),
                        List.of("--perms", "0755", "--dir", "/opt/brig"),
                        List.of("--symlink", "/oldroot", "/opt/brig/link"),
                        bound("/opt/tool"))),
                options("/opt/brig/program"));
    }

    @Test
    void shouldMakeFolderWhenImageHasLinkWhereSomethingIsMounted() throws IOException, SandboxException {
        Files.createSymbolicLink(image.resolve("opt"), Path.of("/oldroot"));
        assertEquals(List.of("--perms", "0755", "--dir", "/opt"), options("/opt/brig/program"));
    }
}
