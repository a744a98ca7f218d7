package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.Ids;
import brig.protocol.wire.FrameType;
import brig.workeragent.sandbox.WorkerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Worktrees and plain folders, seen from inside the real wall and from the host. */
@Timeout(90)
class WorkspaceWallTest {
    private static final int WALLS_BESIDE = 25;
    private static final String COMMIT = "git -c user.name=a -c user.email=a@example.org commit -qm work";

    private AgentFixture fixture;
    private TestGateway control;
    private Path repository;

    @BeforeEach
    void open() throws Exception {
        fixture = new AgentFixture().open();
        control = fixture.control();
        repository = Files.createDirectory(fixture.root.resolve("workspaces/project"));
        Files.writeString(repository.resolve("a.txt"), "one\n");
        Files.writeString(repository.resolve(".env"), "SECRET=tracked\n");
        Files.writeString(repository.resolve("plan.doc"), "listed\n");
        Files.writeString(repository.resolve(".brig-private"), "# ours\n*.doc\n");
        host("git init -q -b main . && git add -A && " + COMMIT);
        Files.writeString(repository.resolve("id_rsa"), "untracked\n");
        giveToWorkers(repository);
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fixture.close();
    }

    /** Runs something in the repository as the host's own user. */
    private String host(String script) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", script)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    private static void giveToWorkers(Path folder) throws Exception {
        if (Installation.isRoot()) {
            assertEquals(
                    0,
                    new ProcessBuilder("chown", "-R", "59617:59617", folder.toString())
                            .start()
                            .waitFor());
        }
    }

    private Map<String, Object> worktree(String task) {
        return new LinkedHashMap<>(
                Map.of("workspace_mode", "worktree", "repository", repository.toString(), "task_id", task));
    }

    private Map<?, ?> diff(String id) throws IOException {
        Map<String, Object> answer = control.ask("{\"id\":2,\"op\":\"diff\",\"spawn_id\":\"" + id + "\"}");
        return answer.get("ok") instanceof Map<?, ?> ok ? ok : answer;
    }

    private String id() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    private List<String> bases() throws IOException {
        try (Stream<Path> files = Files.list(repository.getParent())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldCommitInWorktreeAndShowDiffAfterTheEndOfTheSpawn() throws Exception {
        String id = id();
        String said = fixture.runToEnd(
                control,
                id,
                worktree("t1"),
                "git status --short; echo two >> a.txt; git add a.txt; " + COMMIT
                        + "; echo new > b.txt; head -c 1000 /dev/zero > bin; git log --format=%s; git branch --show-current");
        assertEquals("work\nwork\nbrig/t1\n", said);
        Map<?, ?> diff = diff(id);
        String text = String.valueOf(diff.get("diff"));
        assertTrue(text.contains("+two\n") && text.contains("+new\n"), text);
        assertTrue(text.contains("Binary files /dev/null and b/bin differ"), text);
        assertFalse(text.contains("SECRET") || text.contains("plan.doc"), text);
        assertEquals("brig/t1", diff.get("branch"));
        assertEquals(false, diff.get("truncated"));
        assertTrue(Files.exists(Path.of(String.valueOf(diff.get("workspace"))).resolve("b.txt")));
        assertEquals("one\n", Files.readString(repository.resolve("a.txt")));
        assertTrue(host("git -c safe.directory='*' log -1 --format=%s brig/t1").contains("work"));
    }

    @Test
    void shouldBeginWithWhatIsNotCommittedWhereThatIsAskedFor() throws Exception {
        Files.writeString(repository.resolve("b.txt"), "gone\n");
        host(
                "git -c safe.directory='*' add b.txt && git -c safe.directory='*' -c user.name=t -c user.email=t@t commit -qm two");
        Files.writeString(repository.resolve("a.txt"), "mine\n");
        Files.writeString(repository.resolve(".env"), "SECRET=not even committed\n");
        Files.delete(repository.resolve("b.txt"));
        Files.writeString(repository.resolve("staged.txt"), "staged\n");
        Files.writeString(repository.resolve("loose.txt"), "loose\n");
        host("git -c safe.directory='*' add staged.txt && chown -R 59617:59617 .");
        String id = id();
        Map<String, Object> request = worktree("t10");
        request.put("workspace_mode", "snapshot");
        assertEquals(
                "a.txt\nstaged.txt\nmine\nnothing\n",
                fixture.runToEnd(
                        control,
                        id,
                        request,
                        "ls; cat a.txt; "
                                + "git log -p --all --format= | grep -c 'not even' | sed s/0/nothing/; echo agent >> a.txt"));
        String text = String.valueOf(diff(id).get("diff"));
        assertTrue(text.contains(" mine\n+agent\n") && !text.contains("staged") && !text.contains("b.txt"), text);
        assertEquals("mine\n", Files.readString(repository.resolve("a.txt")));
        assertEquals(
                " M .env\n D b.txt\n M a.txt\nA  staged.txt\n?? id_rsa\n?? loose.txt\n"
                        .lines()
                        .sorted()
                        .toList(),
                host("git -c safe.directory='*' status --short")
                        .lines()
                        .sorted()
                        .toList(),
                "the repository is as it was");
    }

    @Test
    void shouldShowNoHostAndNoPasswordOfTheRepositorysConfiguration() throws Exception {
        host("git -c safe.directory='*' config remote.origin.url https://ann:PASSWORD@git.test/x");
        host("git -c safe.directory='*' config user.name 'Ann \"A\" B'");
        host("chown -R 59617:59617 .");
        assertEquals(
                "Ann \"A\" B\n",
                fixture.runToEnd(
                        control,
                        id(),
                        worktree("t9"),
                        "grep -rs PASSWORD " + repository + "/.git; git remote; git config user.name"));
    }

    /** Scenario: two messages are two processes with two walls, and between them links stand where the first wall had files. */
    @Test
    void shouldMountNothingThatTheAgentPutALinkInThePlaceOf() throws Exception {
        Path secret = Files.writeString(fixture.root.resolve("secret"), "SECRET\n");
        try (Walled session = new Walled(fixture, "shell", worktree("t11"))) {
            session.say("cd \"$(git rev-parse --git-dir)\" && for f in *config* commondir gitdir; do rm -f $f; ln -s "
                    + secret + " $f; done");
            session.untilDone();
            session.say("cat " + repository + "/.git/config; git branch --show-current");
            session.untilDone();
            String said = String.join(
                    "",
                    session.all(FrameType.CHUNK).stream()
                            .map(frame -> frame.text("content"))
                            .toList());
            assertTrue(said.contains("[core]") && said.endsWith("brig/t11\n") && !said.contains("SECRET"), said);
        }
    }

    @Test
    void shouldLetAnotherSpawnUseTheWorktreeOfASession() throws Exception {
        try (Walled session = new Walled(fixture, "shell", worktree("t12"))) {
            Path folder = repository.getParent().resolve(session.id());
            assertEquals(
                    "brig/t12\nwork\nwork\n",
                    fixture.runToEnd(
                            control,
                            id(),
                            Map.of("workspace", folder.toString(), "share_workspace", true),
                            "git status --short; echo two >> a.txt; git add a.txt; " + COMMIT
                                    + "; git branch --show-current; git log --format=%s; rm -f " + repository
                                    + "/.git/config 2>/dev/null"));
            assertTrue(String.valueOf(diff(session.id()).get("diff")).contains("+two\n"));
            assertEquals("one\n", Files.readString(repository.resolve("a.txt")));
        }
    }

    /** Scenario: an agent exchanges a folder of its workspace for a link while other walls are made of that workspace. */
    @ParameterizedTest
    @ValueSource(strings = {".git", ".idea"})
    void shouldMountNothingElseWhenAnAgentInTheSameFolderExchangesItForALink(String name) throws Exception {
        Path shared = Files.createDirectory(fixture.root.resolve("workspaces/shared"));
        Path elsewhere = Files.createDirectory(fixture.root.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("secret"), "not for agents\n");
        if (Installation.isRoot()) {
            for (Path file : List.of(shared, elsewhere)) {
                Files.setAttribute(file, "unix:uid", WorkerIdentity.DEFAULT_UID);
            }
        }
        Map<String, ?> place = Map.of("workspace", shared.toString(), "share_workspace", true);
        try (Walled racer = new Walled(fixture, "shell", place)) {
            racer.say("mkdir %s; ln -s %s link; echo races; ".formatted(name, elsewhere) + exchanging(name, "link"));
            racer.until(frame -> frame.text("content").contains("races"));
            for (int i = 0; i < WALLS_BESIDE; i++) {
                String said = fixture.runToEnd(
                        control,
                        id(),
                        place,
                        "cat " + name + "/secret link/secret; touch " + name + "/planted link/planted");
                assertFalse(said.contains("not for agents"), said);
            }
            racer.terminate();
        }
        assertFalse(Files.exists(elsewhere.resolve("planted")));
    }

    /** Scenario: an agent exchanges a file that Brig reads at each start for a pipe that nobody writes into. */
    @ParameterizedTest
    @ValueSource(strings = {"brig.json", ".brig-private"})
    void shouldNotWaitForAPipeThatAnAgentPutsInThePlaceOfAFile(String name) throws Exception {
        Path shared = Files.createDirectory(fixture.root.resolve("workspaces/shared"));
        if (Installation.isRoot()) {
            Files.setAttribute(shared, "unix:uid", WorkerIdentity.DEFAULT_UID);
        }
        Map<String, ?> place = Map.of("workspace", shared.toString(), "share_workspace", true);
        try (Walled racer = new Walled(fixture, "shell", place)) {
            racer.say("echo '{}' > " + name + "; mkfifo other; echo races; " + exchanging(name, "other"));
            racer.until(frame -> frame.text("content").contains("races"));
            for (int i = 0; i < WALLS_BESIDE; i++) {
                assertEquals("ran\n", fixture.runToEnd(control, id(), place, "echo ran"));
            }
            racer.terminate();
        }
    }

    /** A shell's command that exchanges two names for ever, renameat2(2). */
    private static String exchanging(String one, String other) {
        int call = System.getProperty("os.arch").equals("aarch64") ? 276 : 316;
        return "exec perl -e '$call = %d; $a = \"%s\"; $b = \"%s\"; syscall($call, -100, $a, -100, $b, 2) while 1'"
                .formatted(call, one, other);
    }

    @Test
    void shouldLeaveNothingWhenAgentChangedNothing() throws Exception {
        String id = id();
        assertEquals("a.txt\n", fixture.runToEnd(control, id, worktree("t2"), "ls"));
        assertEquals(List.of("project"), bases());
        assertEquals("main\n", host("git -c safe.directory='*' branch --format='%(refname:short)'"));
        assertTrue(diff(id).toString().contains("NOT_FOUND"));
    }

    @Test
    void shouldBoundDiffWhenAgentWroteALot() throws Exception {
        String id = id();
        fixture.runToEnd(control, id, worktree("t3"), "yes 0123456789 | head -c 900000 > big");
        assertEquals(true, diff(id).get("truncated"));
        assertEquals(512 * 1024, String.valueOf(diff(id).get("diff")).length());
    }

    @Test
    void shouldNotChangeWhatGitExecutesNorWhatBelongsToOthers() throws Exception {
        String git = repository + "/.git";
        String said = fixture.runToEnd(control, id(), worktree("t4"), """
                cd %1$s; own=worktrees/$(ls worktrees)
                for f in config hooks/post-commit commondir refs/heads/main HEAD info/attributes $own/commondir \
                    $own/gitdir $own/config.worktree worktrees/other /workspace/.git; do
                  (echo x >> $f) 2> /dev/null && echo wrote $f
                done
                mv hooks away 2> /dev/null && echo moved
                mv $own away 2> /dev/null && echo moved
                git -C /workspace config core.fsmonitor /bin/true 2> /dev/null && echo configured
                git -C /workspace update-ref refs/heads/main HEAD~0 2> /dev/null
                cat ../id_rsa ../.env 2> /dev/null; ls /workspace; echo end
                """.formatted(git));
        assertEquals("a.txt\nend\n", said);
    }

    @Test
    void shouldRefuseRepositoryThatIsElsewhereOrStartsPrograms() throws Exception {
        Map<String, Object> transcripts = worktree("t5");
        transcripts.put("repository", "/usr");
        assertTrue(fixture.runToEnd(control, id(), transcripts, "true").contains("WORKSPACE_OUTSIDE_BASE"));
        Map<String, Object> none = worktree("t5");
        Files.createDirectory(fixture.root.resolve("workspaces/plain"));
        none.put("repository", fixture.root.resolve("workspaces/plain").toString());
        assertTrue(fixture.runToEnd(control, id(), none, "true").contains("must be a git repository"));
        host("git config --file .git/config filter.x.clean 'touch /tmp/owned'");
        assertTrue(fixture.runToEnd(control, id(), worktree("t5"), "true").contains("filter.x.clean"));
        assertEquals(List.of("plain", "project"), bases());
    }

    @Test
    void shouldHidePrivateAndKeepWhatExecutesWhenWorkspaceIsAPlainFolder() throws Exception {
        Files.createDirectories(repository.resolve("sub/.claude"));
        Files.writeString(repository.resolve("sub/server.pem"), "key\n");
        Files.createDirectory(repository.resolve(".vscode"));
        Files.writeString(repository.resolve(".bashrc"), "");
        giveToWorkers(repository);
        Map<String, ?> folder = Map.of("workspace", repository.toString());
        String said = fixture.runToEnd(control, id(), folder, """
                cat .env plan.doc id_rsa sub/server.pem 2> /dev/null; rm -f .env 2> /dev/null; mv .git away 2> /dev/null
                for f in .bashrc .vscode/tasks.json .git/config .git/hooks/pre-commit; do
                  (echo x >> $f) 2> /dev/null && echo wrote $f
                done
                echo free > free; cat a.txt; touch .git/index.lock && rm .git/index.lock; echo end
                """);
        assertEquals("one\nend\n", said);
        assertEquals("SECRET=tracked\n", Files.readString(repository.resolve(".env")));
    }

    private String ask(String op, String id, String more) throws IOException {
        return control.ask("{\"id\":3,\"op\":\"" + op + "\",\"spawn_id\":\"" + id + "\"" + more + "}")
                .toString();
    }

    private static final String WHAT_IS_THERE = "find . -path './.git*' -printf '%p %U %G %m %s\\n' | sort";

    @Test
    void shouldWorkOnSomebodysRepositoryAsItsOwnerAndGiveAgentsAStoreOfTheirOwn() throws Exception {
        assumeTrue(Installation.isRoot(), "a repository of another user needs root");
        Files.writeString(repository.resolve("a.txt"), "mine\n");
        host("chown -R 4711:4712 . && chmod -R go-rwx .");
        String before = host(WHAT_IS_THERE);
        String id = id();
        Map<String, Object> request = worktree("t20");
        request.put("workspace_mode", "snapshot");
        assertEquals(
                "mine\nWhat was changed in the repository and not committed\nwork\n",
                fixture.runToEnd(
                        control,
                        id,
                        request,
                        "cat a.txt; git log --format=%s; echo agent >> a.txt; " + COMMIT + " -a; echo new > b.txt; ls "
                                + repository + " 2> /dev/null"));
        String text = String.valueOf(diff(id).get("diff"));
        assertTrue(text.contains(" mine\n+agent\n") && text.contains("+new\n"), text);
        assertEquals(before, host(WHAT_IS_THERE), "nothing of it is changed until somebody says so");

        assertTrue(ask("apply", id, ",\"check\":true").contains("conflicts=[]"));
        assertEquals("mine\n", Files.readString(repository.resolve("a.txt")));
        String applied = ask("apply", id, "");
        assertTrue(applied.contains("applied=true"), applied);
        assertEquals("mine\nagent\n", Files.readString(repository.resolve("a.txt")));
        assertEquals("a.txt 4711 4712\nb.txt 4711 4712\n", host("stat -c '%n %u %g' a.txt b.txt"));
        assertEquals(before, host(WHAT_IS_THERE));
        assertFalse(ask("apply", id, "").contains("applied=true"), "it has all of it");

        assertTrue(ask("discard", id, "").contains("ok="));
        assertEquals(List.of("project"), bases());
    }

    @Test
    void shouldRefuseARepositoryThatIsNotWholeOrBecameSomebodyElses() throws Exception {
        assumeTrue(Installation.isRoot(), "a repository of another user needs root");
        host("chown -R 4711:4712 . && echo 1111111111111111111111111111111111111111 > .git/shallow");
        assertTrue(fixture.runToEnd(control, id(), worktree("t21"), "true").contains("it has .git/shallow"));
        assertEquals(List.of("project"), bases());
        host("rm .git/shallow");
        String id = id();
        assertEquals("", fixture.runToEnd(control, id, worktree("t22"), "echo two >> a.txt"));
        host("chown -R 4713:4713 .");
        assertTrue(ask("apply", id, "").contains("is somebody else's now"));
        assertEquals("one\n", Files.readString(repository.resolve("a.txt")));
    }
}
