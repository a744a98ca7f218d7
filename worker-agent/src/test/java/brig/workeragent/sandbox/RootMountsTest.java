package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    @TempDir
    Path upper;

    private List<String> options(String... targets) throws SandboxException {
        List<String> options = new ArrayList<>();
        WallProfile profile = WallProfile.of(Path.of("/w"))
                .with(Stream.of(targets)
                        .map(target -> new WallProfile.Mount(Path.of("/source"), Path.of(target), true))
                        .toList())
                .withImage(new WallProfile.Image(image, null));
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

    private WallProfile writable(String... targets) {
        return WallProfile.of(Path.of("/w"))
                .with(Stream.of(targets)
                        .map(target -> new WallProfile.Mount(Path.of("/source"), Path.of(target), true))
                        .toList())
                .withImage(new WallProfile.Image(image, new WallProfile.Layer(upper, Path.of("/work"))));
    }

    @Test
    void shouldBindTopFoldersWritableWhenRootHasLayer() throws Exception {
        Files.createDirectories(image.resolve("usr/bin"));
        Files.createDirectories(image.resolve("opt/tool"));
        Files.createDirectories(image.resolve("tmp"));
        Files.createDirectories(image.resolve("odd:name"));
        Files.createSymbolicLink(image.resolve("bin"), Path.of("usr/bin"));
        Files.createSymbolicLink(image.resolve("workspace"), Path.of("/etc"));
        List<String> options = new ArrayList<>();
        new RootMounts(Path.of("/")).add(options, writable("/opt/brig/program", "/workspace/file"));
        assertEquals(
                all(List.of(
                        List.of("--symlink", "usr/bin", "/bin"),
                        bound("/odd:name"),
                        List.of("--bind", image + "/opt", "/opt"),
                        List.of("--bind", image + "/usr", "/usr"))),
                options);
        assertEquals(List.of("/etc", "/opt", "/usr"), RootMounts.writable(writable()));
        assertEquals(
                List.of(),
                RootMounts.writable(WallProfile.of(Path.of("/w")).withImage(new WallProfile.Image(image, null))));
    }

    private String refusal(String target) {
        SandboxException refused = assertThrows(
                SandboxException.class, () -> RootMounts.requirePlaces(writable(), List.of(Path.of(target))));
        assertEquals(SandboxException.Code.WALL_UNAVAILABLE, refused.code());
        return String.valueOf(refused.getMessage());
    }

    @Test
    void shouldRefuseLinksOnTheWayToMounts() throws Exception {
        Files.createDirectories(image.resolve("opt/brig"));
        Files.createDirectories(image.resolve("etc/ssl"));
        RootMounts.requirePlaces(writable(), List.of(Path.of("/opt/brig/home"), Path.of("/etc/ssl/certs/all")));

        Files.createDirectories(upper.resolve("opt"));
        Files.createSymbolicLink(upper.resolve("opt/brig"), Path.of("/oldroot"));
        Files.createDirectories(upper.resolve("etc/ssl/certs"));
        Files.createSymbolicLink(upper.resolve("etc/ssl/certs/all"), Path.of("/newroot/run"));
        assertTrue(refusal("/opt/brig/home").contains("/opt/brig of the root is a link"));
        assertTrue(refusal("/etc/ssl/certs/all").contains("an earlier session made it"));
        RootMounts.requirePlaces(writable(), List.of(Path.of("/workspace/opt"), Path.of("/srv/data")));

        Files.createSymbolicLink(image.resolve("srv"), Path.of("/oldroot"));
        assertTrue(refusal("/srv/data").contains("an image without this link"));
    }
}
