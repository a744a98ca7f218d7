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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Roots that sessions write into: who gets what was written, and who is refused. */
@Timeout(180)
class RootOverlayTest {
    private static AgentFixture fixture;
    private static TestGateway control;
    private static Path layout;

    @BeforeAll
    static void open() throws IOException {
        fixture = new AgentFixture();
        fixture.open(Map.of("XDG_DATA_HOME", fixture.root.toString()));
        control = fixture.control();
        layout = Files.createDirectory(fixture.root.resolve("layout"));
        image().write(layout);
        pull(layout, "tools");
    }

    @AfterAll
    static void close() throws IOException {
        // The kernel leaves a folder there that nobody may enter, so an ordinary user's test cannot delete it.
        for (Map<?, ?> root : kept()) {
            discard(root.get("id"), "x", true);
        }
        control.close();
        fixture.close();
    }

    private static TestImage image() throws IOException {
        return ImageRootTest.withPrograms(
                        "/bin/bash", "/bin/cat", "/bin/rm", "/bin/mkdir", "/bin/ln", "/bin/chmod", "/bin/mv")
                .file("usr/bin/old", "#!/bin/bash\necho old\n".getBytes(StandardCharsets.UTF_8), 0755)
                .folder("usr/local/bin/")
                .folder("opt/");
    }

    private static Map<String, Object> ask(Map<String, ?> request) throws IOException {
        return control.ask(new String(Json.write(request), StandardCharsets.UTF_8));
    }

    private static void pull(Path from, String name) throws IOException {
        Map<String, Object> pulled = ask(Map.of("id", 1, "op", "pull_image", "from", from.toString(), "name", name));
        assertTrue(pulled.containsKey("ok"), pulled::toString);
    }

    private static Map<String, Object> place(String project, String overlay) {
        Map<String, Object> place = new LinkedHashMap<>(Map.of("root", "oci:tools"));
        if (!project.isEmpty()) {
            place.put("project", project);
        }
        if (!overlay.isEmpty()) {
            place.put("root_overlay", overlay);
        }
        return place;
    }

    private static String run(Map<String, Object> where, String script) throws IOException {
        return fixture.runToEnd(control, Ids.newSpawnId(System.currentTimeMillis()), where, script);
    }

    private static List<Map<?, ?>> kept() throws IOException {
        Map<?, ?> answer = (Map<?, ?>) ask(Map.of("id", 1, "op", "workspaces")).get("ok");
        Object roots = answer.get("roots");
        return roots == null
                ? List.of()
                : ((List<?>) roots)
                        .stream().<Map<?, ?>>map(each -> (Map<?, ?>) each).toList();
    }

    private static Map<?, ?> keptOf(String project) throws IOException {
        return kept().stream()
                .filter(root -> root.get("project").equals("project " + project))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> discard(Object id, String captain, boolean admin) throws IOException {
        return ask(Map.of("id", 1, "op", "discard_root", "root", id, "captain", captain, "admin", admin));
    }

    private static List<String> stored() throws IOException {
        Path folder = fixture.root.resolve(Installation.isRoot() ? "state/roots" : "brig/roots");
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> String.valueOf(each.getFileName())).sorted().toList();
        }
    }

    @Test
    void shouldGiveNextSessionOfProjectWhatWasWritten() throws IOException {
        String wrote = run(place("shop", "keep"), """
                printf '#!/bin/bash\\necho installed\\n' > /usr/local/bin/new; chmod 755 /usr/local/bin/new
                echo file > /etc/own; mkdir /opt/tool; rm /usr/bin/old
                (echo x > /new) 2> /dev/null || echo 'no new top folder'
                (echo x > /etc/passwd) 2> /dev/null || echo 'passwd is of the wall'
                """);
        assertEquals("no new top folder\npasswd is of the wall\n", wrote);
        String read =
                run(place("shop", "keep"), "new; cat /etc/own; cd /opt/tool && echo there; old 2> /dev/null; exit 0");
        assertEquals("installed\nfile\nthere\n", read);
        assertEquals("old\n", run(place("bakery", "keep"), "new 2> /dev/null; old"));
        assertEquals(
                "old\nread-only\n",
                run(place("shop", ""), "new 2> /dev/null; old; (> /usr/x) 2> /dev/null || echo read-only"));
        assertEquals("old\n", run(place("shop", "discard"), "new 2> /dev/null; echo x > /usr/bin/new; old"));
        assertEquals("old\n", run(place("shop", "discard"), "cat /usr/bin/new 2> /dev/null; old"));
        assertFalse(stored().stream().anyMatch(name -> !name.startsWith("root_")), () -> "left over");
        assertTrue((Long) keptOf("shop").get("bytes") > 0);
    }

    @Test
    void shouldGiveKeptRootToOneSessionAtATime() throws IOException {
        try (Walled first = new Walled(fixture, "lines", place("one", "keep"))) {
            String second = run(place("one", "keep"), "echo hi");
            assertTrue(second.contains("ROOT_IN_USE") && second.contains(first.id()), second);
            assertEquals(first.id(), keptOf("one").get("used_by"));
            assertEquals(
                    "ROOT_IN_USE", discard(keptOf("one").get("id"), "x", true).get("code"));
            assertEquals("hi\n", run(place("one", "discard"), "echo hi"));
            assertEquals("hi\n", run(place("other", "keep"), "echo hi"));
            first.terminate();
        }
        assertEquals("hi\n", run(place("one", "keep"), "echo hi"));
    }

    @Test
    @Tag("slow")
    void shouldRefuseKeptRootOfAnotherImage() throws IOException {
        Path other = Files.createDirectory(fixture.root.resolve("changing"));
        image().write(other);
        pull(other, "changing");
        Map<String, Object> place = place("changes", "keep");
        place.put("root", "oci:changing");
        assertEquals("", run(place, "echo x > /usr/x"));
        Path newer = Files.createDirectory(fixture.root.resolve("changed"));
        image().file("etc/version", "2").write(newer);
        pull(newer, "changing");
        String refused = run(place, "cat /usr/x");
        Object id = keptOf("changes").get("id");
        assertTrue(refused.contains("ROOT_CHANGED") && refused.contains("brig discard " + id), refused);
        assertTrue(discard(id, "x", true).containsKey("ok"));
        assertEquals("2", run(place, "cat /usr/x 2> /dev/null; cat /etc/version"));
    }

    @Test
    void shouldRefuseWhatPolicyOrRootDoNotAllow() throws IOException {
        fixture.writePolicy("test", Map.of("rootOverlay", "discard"));
        Map<String, Object> place = place("p", "keep");
        place.put("policy", "test");
        String refused = run(place, "echo hi");
        assertTrue(refused.contains("FORBIDDEN") && refused.contains("'discard'"), refused);
        place.put("root_overlay", "discard");
        assertEquals("hi\n", run(place, "echo x > /usr/x; echo hi"));
        place.put("policy", "review");
        assertTrue(run(place, "echo hi").contains("FORBIDDEN"));

        refused = run(Map.of("root_overlay", "keep", "project", "p"), "echo hi");
        assertTrue(refused.contains("INVALID_FIELD") && refused.contains("oci:NAME"), refused);
        refused = run(place("", "keep"), "echo hi");
        assertTrue(refused.contains("INVALID_FIELD") && refused.contains("name a project"), refused);
        refused = run(place("p", "always"), "echo hi");
        assertTrue(refused.contains("INVALID_FIELD") && refused.contains("root_overlay"), refused);
    }

    @Test
    void shouldHonourRootOverlayOfProjectsFile() throws IOException {
        Path folder = fixture.root.resolve("workspaces/gondolin");
        assertEquals("", run(Map.of("workspace", folder.toString()), "echo '{\"rootOverlay\": true}' > gondolin.json"));
        String script = "(echo x > /usr/x) 2> /dev/null && echo written; cat /usr/x; exit 0";
        Map<String, Object> place = place("", "");
        place.put("workspace", folder.toString());
        assertEquals("written\nx\n", run(place, script));
        assertTrue(run(place, "(echo x >> /usr/x) && cat /usr/x").endsWith("x\n"));
        assertFalse(run(place("", ""), script).contains("written"));
        place.put("root_overlay", "none");
        assertFalse(run(place, script).contains("written"));
        place.remove("root_overlay");
        fixture.writePolicy("strict", Map.of("rootOverlay", "none"));
        place.put("policy", "strict");
        assertFalse(run(place, script).contains("written"));
    }

    @Test
    void shouldRefuseLinkOfEarlierSessionAndRemoveHostileFiles() throws IOException {
        String wrote = run(place("hostile", "keep"), """
                cd /opt; ln -s /oldroot brig
                mkdir -p /usr/a/b; at=/usr/deep; for i in {1..200}; do at=$at/d; done; mkdir -p $at
                ln -s /etc/hosts /usr/a/link; echo x > /usr/a/b/f; chmod 000 /usr/a/b/f /usr/a/b /usr/a
                """);
        assertEquals("", wrote);
        Files.writeString(fixture.root.resolve("agents/homely.json"), """
                {"description": "cat", "command": ["/bin/cat"], "process": "spawn", "stdin": "lines", "home": "project"}
                """);
        Map<String, Object> asked = place("hostile", "keep");
        asked.put("agent_config", Map.of("name", "homely"));
        Map<String, Object> refused = fixture.ask(control, Ids.newSpawnId(System.currentTimeMillis()), asked);
        assertEquals("WALL_UNAVAILABLE", refused.get("code"), refused::toString);
        assertTrue(String.valueOf(refused.get("error")).contains("/opt/brig of the root is a link"), refused::toString);

        Object id = keptOf("hostile").get("id");
        assertEquals("NOT_FOUND", discard(id, "somebody", false).get("code"));
        Map<String, Object> removed = discard(id, "somebody", true);
        assertTrue(removed.containsKey("ok"), removed::toString);
        assertFalse(
                stored().stream().anyMatch(name -> name.startsWith(String.valueOf(id)) || !name.startsWith("root_")));
        assertEquals("hi\n", run(place("hostile", "keep"), "cd /usr/a 2> /dev/null || echo hi"));
    }

    @Test
    void shouldNameOverlayInPosture() throws IOException {
        Map<String, Object> place = place("posture", "keep");
        place.putAll(Map.of("agent_config", Map.of("name", "shell"), "prompt", "exit 0", "once", true));
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = fixture.ask(control, id, place);
        try (TestGateway frames = fixture.frames(id, 1)) {
            frames.read(frame -> !frame.text("state").equals("terminated"));
        }
        assertTrue(answer.containsKey("ok"), answer::toString);
        Map<?, ?> posture = (Map<?, ?>) ((Map<?, ?>) answer.get("ok")).get("posture");
        assertEquals("keep", ((Map<?, ?>) posture.get("root")).get("overlay"));
    }
}
