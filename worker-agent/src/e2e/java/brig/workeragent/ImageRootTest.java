package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.workeragent.image.TestImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers whose root is an image: it is taken in behind a wall, and they see nothing of the host's programs. */
@Timeout(120)
class ImageRootTest {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
    private static AgentFixture fixture;
    private static TestGateway control;

    @BeforeAll
    static void open() throws IOException {
        fixture = new AgentFixture().open();
        control = fixture.control();
    }

    @AfterAll
    static void close() throws IOException {
        control.close();
        fixture.close();
    }

    /** A layer with those programs of this host, and the libraries that they load. */
    static TestImage withPrograms(String... programs) throws IOException {
        TestImage image = new TestImage();
        Set<Path> files = new LinkedHashSet<>();
        for (String program : programs) {
            files.add(Path.of(program));
            Process ldd =
                    new ProcessBuilder("ldd", program).redirectErrorStream(true).start();
            Matcher library = LIBRARY.matcher(new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            while (library.find()) {
                files.add(Path.of(library.group(1)));
            }
        }
        for (Path file : files) {
            image.file(file.toString(), Files.readAllBytes(file), 0755);
        }
        return image;
    }

    private static Map<String, Object> pull(Path from, String name) throws IOException {
        return control.ask(new String(
                Json.write(Map.of("id", 1, "op", "pull_image", "from", from.toString(), "name", name)),
                StandardCharsets.UTF_8));
    }

    private static String run(String root, String script) throws IOException {
        return fixture.runToEnd(control, Ids.newSpawnId(System.currentTimeMillis()), Map.of("root", root), script);
    }

    @Test
    @Tag("slow")
    void shouldRunShellWhenRootIsAnImage() throws IOException {
        Path layout = Files.createDirectory(fixture.root.resolve("layout"));
        String digest = withPrograms("/bin/bash", "/bin/cat", "/bin/ls")
                .file("etc/marker", "of the image")
                .file("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
                .folder("opt/")
                .file("opt/tool", "a tool")
                .layer()
                .link("home", "/usr")
                .link("workspace", "/etc")
                .environment("PATH=/usr/bin:/bin:/opt/bin", "HOME=/root", "LANG=C", "OWN=1")
                .write(layout);
        Map<String, Object> pulled = pull(layout, "small");
        assertTrue(pulled.containsKey("ok"), pulled::toString);
        assertEquals(digest, ((Map<?, ?>) pulled.get("ok")).get("digest"));
        assertEquals("glibc", ((Map<?, ?>) pulled.get("ok")).get("library"));

        String said = run("oci:small@" + digest, """
                cat /etc/marker; echo; cat /etc/passwd; cat /opt/tool; echo
                echo "$PATH $HOME $OWN"
                ls /bin
                for file in /new /etc/new /opt/new /usr/new /bin/new; do
                    if (echo x > $file) 2> /dev/null; then echo "wrote $file"; fi
                done
                echo here > /workspace/file; cat /workspace/file
                """);
        assertTrue(said.startsWith("of the image\nroot:x:0:0:root:/:/usr/sbin/nologin\nworker:x:1000:"), said);
        assertTrue(said.contains("a tool\n/usr/bin:/bin:/opt/bin /home/worker 1\n"), said);
        assertTrue(said.contains("bash\n") && said.contains("ls\n"), said);
        assertFalse(said.contains("git\n") || said.contains("wrote"), said);
        assertTrue(said.endsWith("here\n"), said);
    }

    @Test
    void shouldRefuseRootWhenThereIsNoSuchImage() throws IOException {
        for (String root : List.of("oci:none", "oci:none@sha256:" + "0".repeat(64))) {
            String said = run(root, "echo hi");
            assertTrue(said.contains("UNKNOWN_IMAGE") && said.contains("brig image pull"), said);
        }
        for (String root : List.of("oci:", "oci:../x", "oci:a/b", "/usr", "oci:a@sha256:1")) {
            String said = run(root, "echo hi");
            assertTrue(said.contains("INVALID_FIELD"), said);
        }
    }

    private static Map<?, ?> posture(Map<String, ?> where, String agent) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>(where);
        request.put("agent_config", Map.of("name", agent));
        Map<String, Object> answer = fixture.ask(control, Ids.newSpawnId(System.currentTimeMillis()), request);
        assertTrue(answer.containsKey("ok"), answer::toString);
        return (Map<?, ?>) ((Map<?, ?>) answer.get("ok")).get("posture");
    }

    @Test
    @Tag("slow")
    void shouldTakeRootOfProfileWithinThatOfPolicy() throws IOException {
        Path layout = Files.createDirectory(fixture.root.resolve("chosen"));
        String digest = withPrograms("/bin/cat").file("etc/marker", "chosen").write(layout);
        pull(layout, "mine");
        pull(layout, "other");
        Files.writeString(fixture.root.resolve("agents/rooted.json"), """
                {"description": "cat", "command": ["/bin/cat"], "process": "spawn", "stdin": "lines", "policy": "test",
                 "root": "oci:mine"}
                """);
        Map<String, String> image = Map.of("image", "mine", "digest", digest);
        fixture.writePolicy("test", Map.of("root", "oci:mine@" + digest));
        assertEquals(image, posture(Map.of(), "rooted").get("root"));
        assertEquals(image, posture(Map.of("root", "oci:mine"), "rooted").get("root"));
        assertEquals(image, posture(Map.of("policy", "test"), "lines").get("root"));
        for (String root : List.of("host", "oci:other", "oci:mine@sha256:" + "0".repeat(64))) {
            String said =
                    fixture.runToEnd(control, Ids.newSpawnId(1), Map.of("policy", "test", "root", root), "echo hi");
            assertTrue(said.contains("FORBIDDEN") && said.contains("'test' has the root oci:mine@"), said);
        }

        fixture.writePolicy("test", Map.of());
        assertEquals(
                Map.of("image", "other", "digest", digest),
                posture(Map.of("root", "oci:other"), "rooted").get("root"));
        assertFalse(posture(Map.of("root", "host"), "rooted").containsKey("root"));

        fixture.writePolicy("test", Map.of("root", "oci:"));
        String said = run("oci:mine", "echo hi");
        assertFalse(said.contains("INVALID_POLICY"), said);
        said = fixture.runToEnd(control, Ids.newSpawnId(1), Map.of("policy", "test"), "echo hi");
        assertTrue(said.contains("INVALID_POLICY") && said.contains("root"), said);
    }

    @Test
    void shouldLeaveNothingWhenImageIsHostile() throws IOException {
        Path layout = Files.createDirectory(fixture.root.resolve("hostile"));
        new TestImage().file("../../escaped", "x").write(layout);
        Map<String, Object> refused = pull(layout, "hostile");
        assertEquals("INVALID_IMAGE", refused.get("code"), refused::toString);
        assertTrue(String.valueOf(refused.get("error")).contains("leads out"), refused::toString);
        try (Stream<Path> files = Files.walk(fixture.root)) {
            assertEquals(0, files.filter(file -> file.endsWith("escaped")).count());
        }
    }

    @Test
    void shouldKeepImageWhileSessionUsesIt() throws IOException {
        Path layout = Files.createDirectory(fixture.root.resolve("held"));
        withPrograms("/bin/cat").write(layout);
        assertTrue(pull(layout, "held").containsKey("ok"));
        try (Walled session = new Walled(fixture, "lines", Map.of("root", "oci:held"))) {
            Map<String, Object> refused = control.ask("{\"id\":1,\"op\":\"remove_image\",\"name\":\"held\"}");
            assertEquals("IMAGE_IN_USE", refused.get("code"), refused::toString);
            session.terminate();
        }
        Map<String, Object> removed = control.ask("{\"id\":1,\"op\":\"remove_image\",\"name\":\"held\"}");
        assertTrue(removed.containsKey("ok"), removed::toString);
        assertTrue(run("oci:held", "echo hi").contains("UNKNOWN_IMAGE"));
    }
}
