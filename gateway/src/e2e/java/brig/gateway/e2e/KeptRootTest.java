package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a session installs in its root is there for the next session of the project, behind each wall. */
@Timeout(300)
@ParameterizedClass
@EnumSource(WallKind.class)
@Tag("slow")
class KeptRootTest {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
    private static final long BYTES_MAX = 16L << 20;

    private static @Nullable Product product;

    @Parameter
    WallKind kind;

    @BeforeParameterizedClassInvocation
    static void start(WallKind kind) throws IOException {
        if (!SecondKernels.areHere(kind)) {
            return;
        }
        product = Product.prepare(Map.of("worker", Map.of("keptRoots", Map.of("bytesMax", BYTES_MAX))));
        SecondKernels.giveTo(product);
        // Where an ordinary user's Brig has its images.
        product.with("XDG_DATA_HOME=" + product.folder()).serve();
        Path image = Files.createDirectory(product.folder().resolve("image"));
        for (String program : List.of("/bin/bash", "/bin/cat", "/bin/rm", "/bin/chmod", "/bin/true")) {
            copy(program, image);
        }
        Files.createDirectories(image.resolve("usr/local/bin"));
        if (hasDpkg()) {
            addDpkg(image);
        }
        Run pulled = product.brig("image", "pull", "--from", image.toString(), "--name", "tools");
        assertEquals(0, pulled.exitCode(), pulled::toString);
    }

    private static boolean hasDpkg() {
        return Stream.of("dpkg", "dpkg-deb", "dpkg-split", "fakeroot-tcp", "faked-tcp", "getopt")
                .allMatch(name -> Files.isExecutable(Path.of("/usr/bin", name)));
    }

    /** With fakeroot, and a package that writes a file when it is set up. */
    private static void addDpkg(Path image) throws IOException {
        for (String name :
                List.of("dpkg", "dpkg-deb", "dpkg-split", "faked-tcp", "getopt", "sed", "cut", "tr", "uname")) {
            copy("/usr/bin/" + name, image);
        }
        copy("/bin/tar", image);
        Files.copy(Path.of("/usr/bin/fakeroot-tcp"), image.resolve("usr/bin/fakeroot-tcp"));
        Files.createSymbolicLink(image.resolve("bin/sh"), Path.of("bash"));
        try (Stream<Path> found =
                Files.find(Path.of("/usr/lib"), 3, (path, file) -> path.endsWith("libfakeroot-tcp.so"))) {
            Path library = found.findFirst().orElseThrow();
            Path copy = image.resolve(library.toString().substring(1));
            Files.createDirectories(copy.getParent());
            Files.copy(library, copy);
        }
        for (String folder : List.of("updates", "info", "triggers")) {
            Files.createDirectories(image.resolve("var/lib/dpkg").resolve(folder));
        }
        Files.createFile(image.resolve("var/lib/dpkg/status"));
        Path made = product.folder().resolve("package");
        Files.createDirectories(made.resolve("DEBIAN"));
        Files.createDirectories(made.resolve("usr/bin"));
        Files.writeString(made.resolve("DEBIAN/control"), """
                Package: greeting
                Version: 1
                Architecture: all
                Maintainer: a <a@example.org>
                Description: a test
                """);
        Path script =
                Files.writeString(made.resolve("DEBIAN/postinst"), "#!/bin/sh\nset -e\necho set up > /etc/greeting\n");
        Path program = Files.writeString(made.resolve("usr/bin/greeting"), "#!/bin/sh\necho good day\n");
        for (Path executable : List.of(script, program)) {
            Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Run built = Run.of(
                List.of(
                        "dpkg-deb",
                        "--root-owner-group",
                        "-Zgzip",
                        "--build",
                        made.toString(),
                        image.resolve("greeting.deb").toString()),
                "",
                product.folder());
        assertEquals(0, built.exitCode(), built::toString);
    }

    /** With the libraries that it loads. */
    private static void copy(String program, Path image) throws IOException {
        Set<String> files = new LinkedHashSet<>(List.of(program));
        Process ldd =
                new ProcessBuilder("ldd", program).redirectErrorStream(true).start();
        Matcher library = LIBRARY.matcher(new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        while (library.find()) {
            files.add(library.group(1));
        }
        for (String file : files) {
            Path copy = image.resolve(file.substring(1));
            Files.createDirectories(copy.getParent());
            if (!Files.exists(copy)) {
                Files.copy(Path.of(file).toRealPath(), copy);
            }
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        if (product != null) {
            // The kernel leaves a folder there that nobody may enter, so an ordinary user's test cannot delete it.
            for (JsonObject root : kept()) {
                product.brig("discard", root.text("id"));
            }
            product.close();
            product = null;
        }
    }

    private Product product() {
        assumeTrue(product != null, "the build found no gVisor, or no QEMU and kernel");
        return product;
    }

    private Spawned spawn(String project, String overlay, @Nullable String script) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>(Map.of(
                "action",
                "spawn",
                "agent_config",
                Map.of("name", "shell"),
                "project",
                project,
                "root",
                "oci:tools",
                "root_overlay",
                overlay,
                "wall",
                kind.word()));
        if (script != null) {
            request.put("prompt", script);
            request.put("once", true);
        }
        return new Spawned(product(), product().ask(new String(Json.write(request), StandardCharsets.UTF_8)));
    }

    private Frames toEnd(String project, String overlay, String script) throws IOException {
        Spawned session = spawn(project, overlay, script);
        Frames frames = new Frames();
        try (Wire wire = session.captain()) {
            frames.readAll(wire);
        }
        return frames;
    }

    private String said(String project, String overlay, String script) throws IOException {
        return toEnd(project, overlay, script).text();
    }

    private static List<JsonObject> kept() throws IOException {
        return JsonObject.read(product.brig("workspaces", "--json").out().getBytes(StandardCharsets.UTF_8))
                .objects("roots");
    }

    private static final String INSTALL =
            "echo 'echo installed' > /usr/local/bin/tool; chmod 755 /usr/local/bin/tool; rm /bin/cat; tool";

    @Test
    void shouldKeepWhatASessionInstalled() throws IOException {
        assertEquals("installed\n", said("shop", "keep", INSTALL));
        assertEquals("installed\n", said("shop", "keep", "tool; [ -e /bin/cat ] && echo is there; exit 0"));
        assertEquals("no\n", said("bakery", "keep", "[ -e /usr/local/bin/tool ] || echo no"));
        assertEquals("no\n", said("shop", "discard", "[ -e /usr/local/bin/tool ] || echo no; echo x > /usr/local/x"));
        assertEquals("no\n", said("shop", "discard", "[ -e /usr/local/x ] || echo no"));

        // A crash gives it back too.
        Spawned running = spawn("shop", "keep", null);
        assertEquals("keep", running.view().object("posture").object("root").text("overlay"));
        Frames frames = new Frames();
        try (Wire wire = running.captain()) {
            frames.readUntilType(wire, "state");
            refuseSecond(running);
            product().workerAgents().forEach(ProcessHandle::destroyForcibly);
            frames.readAll(wire);
            assertEquals("WORKER_LOST", frames.ofType("error").getFirst().text("code"));
        }
        Await.until(
                "there is a worker-agent again",
                () -> !product().ask("{\"action\":\"agents\"}").has("error"));
        assertEquals("installed\n", said("shop", "keep", "tool"));
        removeAll();
        assertEquals("no\n", said("shop", "keep", "[ -e /usr/local/bin/tool ] || echo no"));
    }

    @Test
    void shouldKeepInstalledPackage() throws IOException {
        product();
        assumeTrue(hasDpkg(), "dpkg or fakeroot-tcp is not installed");
        String installed =
                said("packages", "keep", "fakeroot-tcp dpkg --force-bad-path -i /greeting.deb 2>&1; greeting");
        assertTrue(installed.endsWith("Setting up greeting (1) ...\ngood day\n"), installed);
        assertEquals("good day\nset up\n", said("packages", "keep", "greeting; echo \"$(</etc/greeting)\""));
    }

    private void refuseSecond(Spawned holder) throws IOException {
        Run refused = product()
                .brig(
                        "run",
                        "shell",
                        "--root",
                        "oci:tools",
                        "--root-overlay",
                        "keep",
                        "--project",
                        "shop",
                        "--wall",
                        kind.word(),
                        "--",
                        "tool");
        assertEquals(125, refused.exitCode(), refused::toString);
        assertTrue(refused.err().contains("ROOT_IN_USE") && refused.err().contains(holder.id()), refused::toString);
    }

    private void removeAll() throws IOException {
        Run listed = product().brig("workspaces");
        assertTrue(listed.out().contains("project shop") && listed.out().contains("tools"), listed::toString);
        for (JsonObject root : kept()) {
            assertTrue(root.number("bytes", 0) > 0 || root.text("project").equals("project bakery"), root::toString);
            Run gone = product().brig("discard", root.text("id"));
            assertEquals(0, gone.exitCode(), gone::toString);
        }
        assertEquals(List.of(), kept());
        // Beside the state for root, in the user's home for others.
        try (Stream<Path> all = Files.find(
                        product().folder(), 8, (path, file) -> file.isDirectory() && path.endsWith("roots"));
                Stream<Path> left = all.flatMap(KeptRootTest::entries)) {
            assertEquals(List.of(), left.toList());
        }
    }

    private static Stream<Path> entries(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldEndSessionAtBound() throws IOException {
        Frames full = toEnd(
                "hog",
                "keep",
                "while echo -n much >> /usr/local/small; do cat /bin/bash /bin/bash; done >> /usr/local/much");
        assertEquals("DISK_FULL", full.ofType("error").getFirst().text("code"));
        assertTrue(
                full.ofType("error").getFirst().text("error", "").contains("worker.keptRoots.bytesMax"),
                full::toString);
        JsonObject refused = product()
                .ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"project\":\"hog\","
                        + "\"root\":\"oci:tools\",\"root_overlay\":\"keep\"}");
        assertEquals("DISK_FULL", refused.text("code", ""), refused::toString);
        assertTrue(refused.text("error", "").contains("brig discard root_"), refused::toString);
    }
}
