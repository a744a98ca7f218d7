package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.Ids;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of a folder on file systems that can share blocks, made for the test in a file, and on one that cannot. */
@Timeout(90)
class CopyWallTest {
    private final AgentFixture fixture = new AgentFixture();
    private final Path bases = Files.createDirectory(fixture.root.resolve("workspaces"));
    private final Path project = bases.resolve("project");
    private TestGateway control;
    private boolean mounted;

    CopyWallTest() throws IOException {}

    private static String host(String script) throws Exception {
        Process run = new ProcessBuilder("sh", "-ec", script)
                .redirectErrorStream(true)
                .start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertTrue(run.waitFor(60, TimeUnit.SECONDS), script);
        assertEquals(0, run.exitValue(), said);
        return said;
    }

    /** @param size that mkfs is content with */
    private void mount(String type, String size, Path where) throws Exception {
        assumeTrue(Installation.isRoot(), "a file system of its own needs root");
        for (String program : List.of("/usr/sbin/mkfs." + type, "/usr/sbin/losetup")) {
            assumeTrue(Files.exists(Path.of(program)), "copies on " + type + " are not tried here: no " + program);
        }
        Path image = fixture.root.resolve("image");
        host("truncate -s " + size + " " + image + "; mkfs." + type + " -q " + image);
        try {
            host("mount -o loop " + image + " " + where);
            mounted = true;
        } catch (AssertionError cannot) {
            assumeTrue(false, "copies on " + type + " are not tried here: " + cannot.getMessage());
        }
        Files.setAttribute(where, "unix:mode", 0711);
    }

    private void mountWorkspaces(String type) throws Exception {
        mount(type, type.equals("xfs") ? "320M" : "128M", bases);
    }

    @AfterEach
    void close() throws Exception {
        if (control != null) {
            control.close();
        }
        if (fixture.agent != null) {
            fixture.agent.close();
            fixture.agent = null;
        }
        if (mounted) {
            host("umount -l " + bases);
        }
        fixture.close();
    }

    private void makeProject() throws Exception {
        Files.createDirectories(project.resolve("sub/empty"));
        Files.writeString(project.resolve("a.txt"), "one\n");
        Files.writeString(project.resolve("sub/tool"), "#!/bin/sh\necho ran\n");
        Files.setAttribute(project.resolve("sub/tool"), "unix:mode", 0755);
        Files.createSymbolicLink(project.resolve("link"), Path.of("a.txt"));
        Files.writeString(project.resolve(".env"), "SECRET=1\n");
        Files.writeString(project.resolve("sub/id_rsa"), "SECRET=2\n");
        Files.writeString(project.resolve("sub/plan.doc"), "SECRET=3\n");
        Files.writeString(project.resolve(".brig-private"), "*.doc\n");
        Files.writeString(project.resolve("größe"), "2\n");
        // What belongs to somebody else can be copied where the workers may read it.
        host("mkfifo " + project.resolve("pipe") + "; chmod 755 " + project);
    }

    private void open() throws IOException {
        fixture.open();
        control = fixture.control();
    }

    private static String id() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    private String run(String id, String script) throws IOException {
        return fixture.runToEnd(control, id, copy(), script);
    }

    private Map<String, ?> copy() {
        return Map.of("workspace_mode", "copy", "workspace", project.toString(), "task_id", "c");
    }

    private Map<?, ?> ask(String op, String id) throws IOException {
        String of = id.isEmpty() ? "" : ",\"spawn_id\":\"" + id + "\"";
        Map<String, Object> answer = control.ask("{\"id\":2,\"op\":\"" + op + "\"" + of + "}");
        return answer.get("ok") instanceof Map<?, ?> ok ? ok : answer;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(bases)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("lost+found"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xfs", "btrfs"})
    void shouldWorkInACopyAndShowItsDiffWhenTheFileSystemCan(String type) throws Exception {
        mountWorkspaces(type);
        makeProject();
        open();
        String id = id();
        assertEquals("a.txt\ngröße\nlink\nsub\none\nran\n", run(id, """
                ls; cat link; sub/tool; cat .env sub/id_rsa sub/plan.doc 2> /dev/null
                echo two >> a.txt; rm sub/tool; echo new > b.txt; git init -q inner
                mkdir closed; touch closed/x; chmod 0 closed"""));
        for (String secret : List.of(".env", "sub/id_rsa", "sub/plan.doc")) {
            assertFalse(Files.exists(bases.resolve(id).resolve(secret)), secret);
            assertFalse(Files.exists(bases.resolve(id + ".origin").resolve(secret)), secret);
        }
        // The folder goes on beside it: the diff says what the agent did, and nothing else.
        Files.writeString(project.resolve("a.txt"), "somebody else was here\n");
        assertTrue(Files.exists(project.resolve("sub/tool")) && !Files.exists(project.resolve("b.txt")));
        Map<?, ?> diff = ask("diff", id);
        String text = String.valueOf(diff.get("diff"));
        assertTrue(text.contains("\n one\n+two\n") && text.contains("+new\n"), text);
        assertTrue(text.contains("deleted file mode 100755"), text);
        assertFalse(text.contains("SECRET") || text.contains("somebody"), text);
        assertFalse(diff.containsKey("branch"), diff::toString);
        assertEquals(bases.resolve(id).toString(), diff.get("workspace"));
        assertTrue(ask("workspaces", "").toString().contains("workspace_mode=copy"));
        assertEquals(List.of("project", id, id + ".copy", id + ".origin"), names());
        ask("discard", id);
        assertEquals(List.of("project"), names());
    }

    @Test
    void shouldShareBlocksAndLeaveNothingWhenNothingWasChanged() throws Exception {
        mountWorkspaces("xfs");
        makeProject();
        host("head -c 20000000 /dev/urandom > " + project + "/big; git init -q " + project + "; chmod -R a+rX "
                + project + "; sync -f " + bases);
        open();
        String free = "df --output=avail -B1 %s | tail -n 1";
        long before = Long.parseLong(host(free.formatted(bases)).strip());
        String id = id();
        // git looks at every file, and writes its index anew.
        String during = run(id, "git status > /dev/null; touch b; rm b; sync -f .; " + free.formatted("."));
        assertTrue(before - Long.parseLong(during.strip()) < 10_000_000, during + " of " + before);
        assertEquals(List.of("project"), names());
    }

    @Test
    void shouldKeepACopyWhenAChangeHidesItsTime() throws Exception {
        mountWorkspaces("btrfs");
        makeProject();
        open();
        String id = id();
        run(id, "echo two > x; touch -r a.txt x; cat x > a.txt; touch -r x a.txt; rm x");
        assertTrue(String.valueOf(ask("diff", id).get("diff")).contains("+two"));
        ask("discard", id);
        assertEquals(List.of("project"), names());
    }

    @Test
    void shouldRefuseByCauseAndMendWhenTheFileSystemCannot() throws Exception {
        makeProject();
        open();
        String said = run(id(), "true");
        assumeTrue(said.contains("code="), "the file system of " + bases + " can share blocks: nothing to refuse");
        assertTrue(
                said.contains("code=COPY_UNAVAILABLE")
                        && said.contains("cannot share blocks")
                        && said.contains("XFS or Btrfs")
                        && said.contains("EOPNOTSUPP"),
                said);
        assertEquals(List.of("project"), names());
    }

    @Test
    void shouldRefuseByCauseAndMendWhenTheFolderIsOnAnotherFileSystem() throws Exception {
        // Scenario: the base can share blocks, but the folder is a mount of something else below it.
        mountWorkspaces("btrfs");
        Files.createDirectory(project);
        host("mount -t tmpfs -o mode=0755 none " + project);
        try {
            makeProject();
            open();
            String said = run(id(), "true");
            assertTrue(
                    said.contains("code=COPY_UNAVAILABLE")
                            && said.contains("are not on one file system")
                            && said.contains("EXDEV"),
                    said);
            assertEquals(List.of("project"), names());
        } finally {
            host("umount -l " + project);
        }
    }

    @Test
    void shouldRefuseWhenWorkersMayNotReadAllOfIt() throws Exception {
        mountWorkspaces("btrfs");
        makeProject();
        Files.setAttribute(project.resolve("a.txt"), "unix:mode", 0600);
        open();
        String said = run(id(), "true");
        assertTrue(said.contains("code=INVALID_FIELD") && said.contains("EACCES a.txt"), said);
        Map<String, ?> none = Map.of("workspace_mode", "copy", "workspace", bases + "/none");
        assertTrue(fixture.runToEnd(control, id(), none, "true").contains("there is none at"));
        assertEquals(List.of("project"), names());
        assertFalse(Files.exists(bases.resolve("none"), LinkOption.NOFOLLOW_LINKS));
    }
}
