package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The part of the escape suite that runs behind the agent's back: what it left in its workspace, against everything that is
 * done there on the host, while the session lives, at its end, and later. An attack has won where its program was executed
 * outside of a wall, or a file was written that is not the session's own.
 */
@Timeout(120)
class HostSideTest {
    private static final String WORKERS = "59617";
    private static final String ENDLESS = "files that git reads and that do not end";
    private static final String FILTER = "a clean filter in a nested repository";
    /** The attacker's program: takes any arguments, leaves a mark where it can, and hands its input on. */
    private static final String PROGRAM = """
            printf '#!/bin/sh\\nid > @marks@/mark.$$ 2> /dev/null\\n(setsid sh -c "sleep 1; id > @marks@/late" &) 2> /dev/null\\ncat\\n' > evil-program
            chmod 755 evil-program; run="$PWD/evil-program"; up='../evil-program'; c='-c user.name=x -c user.email=x@x'
            """;

    private static final String NESTED = PROGRAM + """
            mkdir -p sub; cd sub; git init -q -b main; git config user.name x; git config user.email x@x
            echo aaaa > f; git add -A; git commit -qm s; @trap@
            cd ..; touch -d '1 hour ago' sub/f; echo bbbb > sub/f; touch sub/f
            """;

    private AgentFixture fixture;
    private TestGateway control;
    private Path repository;
    private Path marks;

    @BeforeEach
    void open() throws Exception {
        fixture = new AgentFixture();
        Map<String, Object> settings = new LinkedHashMap<>(Json.parseCommented(Files.readString(fixture.config)));
        Map<String, Object> worker = new LinkedHashMap<>(asMap(settings.get("worker")));
        worker.put("tools", Map.of("timeoutMs", 3000, "memoryBytesMax", 64L * 1024 * 1024));
        settings.put("worker", worker);
        Files.write(fixture.config, Json.write(settings));
        marks = Files.createDirectory(fixture.root.resolve("marks"));
        Files.setPosixFilePermissions(marks, PosixFilePermissions.fromString("rwxrwxrwx"));
        fixture.open();
        control = fixture.control();
        repository = Files.createDirectory(fixture.root.resolve("workspaces/project"));
        Files.writeString(repository.resolve("a.txt"), "one\n");
        // With a submodule, so that git looks into the folder of that name.
        host("git init -q -b main .; git add -A; git -c user.name=a -c user.email=a@a commit -qm work; "
                + "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; mkdir sub; "
                + "git -c user.name=a -c user.email=a@a commit -qm work");
        giveToWorkers();
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fixture.close();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    private String host(String script) throws Exception {
        Process process = new ProcessBuilder("sh", "-ec", script)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    private void giveToWorkers() throws Exception {
        if (Installation.isRoot()) {
            host("chown -R " + WORKERS + ":" + WORKERS + " .");
        }
    }

    private String ask(String op, String id, String more) throws IOException {
        try (TestGateway own = fixture.control()) {
            return String.valueOf(own.ask("{\"id\":2,\"op\":\"" + op + "\",\"spawn_id\":\"" + id + "\"" + more + "}"));
        }
    }

    private Map<String, Object> worktree(String mode) {
        return new LinkedHashMap<>(Map.of("workspace_mode", mode, "repository", repository.toString()));
    }

    private static String id() {
        return Ids.newSpawnId(System.currentTimeMillis());
    }

    /** Every file of the repository that sessions do not share, with its length. */
    private Map<String, Long> hostFiles() throws IOException {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(repository)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = repository.relativize(file).toString();
                boolean shared = name.matches("\\.git/(objects|worktrees|refs/heads/brig|logs/refs/heads/brig)/.*");
                if (!shared) {
                    found.put(name, Files.size(file));
                }
            }
        }
        return found;
    }

    private static String nested(String trap) {
        return NESTED.replace("@trap@", trap);
    }

    static Map<String, String> attacks() {
        Map<String, String> attacks = new LinkedHashMap<>();
        attacks.put(
                FILTER,
                nested(
                        "echo '* filter=x' > .gitattributes; git add -A; git commit -qm t; git config filter.x.clean \"$up\""));
        attacks.put(
                "a filter process in a nested repository",
                nested("echo '* filter=x' > .git/info/attributes; git config filter.x.process \"$up\""));
        attacks.put(
                "a filter that .gitmodules asks not to ignore",
                nested(
                        "echo '* filter=x' > .git/info/attributes; git config filter.x.clean \"$up\"; "
                                + "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n' > ../.gitmodules"));
        attacks.put("a monitor in a nested repository", nested("git config core.fsmonitor \"$up\""));
        attacks.put(
                "hooks in a nested repository",
                nested("for h in post-index-change pre-commit reference-transaction "
                        + "fsmonitor-watchman post-checkout; do cp ../evil-program .git/hooks/$h; done"));
        attacks.put(
                "a text conversion and an external diff",
                nested(
                        "echo '* diff=x merge=x' > .git/info/attributes; "
                                + "cp .git/info/attributes ../.gitattributes; git config diff.x.textconv \"$up\"; git config diff.x.command \"$up\"; "
                                + "git config diff.external \"$up\"; git config merge.x.driver \"$up\"; git config core.pager \"$up\""));
        attacks.put(
                "an included configuration",
                nested(
                        "echo '* filter=x' > .git/info/attributes; "
                                + "printf '[filter \"x\"]\\n\\tclean = ../evil-program\\n' > ../conf; git config include.path ../../conf"));
        attacks.put(
                "a filter behind commondir",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "git config filter.x.clean \"$up\"; mv .git ../real; mkdir .git; echo ../../real > .git/commondir; "
                        + "cp ../real/HEAD ../real/index .git/"));
        attacks.put(
                "a .git file that leads elsewhere",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "git config filter.x.clean \"$up\"; mv .git ../real; echo 'gitdir: ../real' > .git"));
        attacks.put(
                "a bare repository in the tree",
                nested(
                        "git config core.fsmonitor \"$up\"; "
                                + "git config core.worktree ..; git config core.bare false; cp -r .git/HEAD .git/objects .git/refs .git/config ."));
        attacks.put(
                "a missing object of a promisor",
                nested(
                        "git config core.repositoryformatversion 1; "
                                + "git config extensions.partialClone o; git config remote.o.url \"ext::$up\"; git config remote.o.promisor true; "
                                + "git config protocol.ext.allow always; git config core.sshCommand \"$up\"; rm -rf .git/objects/??"));
        attacks.put(
                "alternates of the shared repository",
                PROGRAM + "common=$(git rev-parse --git-common-dir); mkdir -p "
                        + "$common/objects/info; echo @repository@/.. > $common/objects/info/alternates; echo x > x");
        attacks.put("replaced objects", PROGRAM + "git update-ref refs/replace/$(git rev-parse HEAD) HEAD; echo x > x");
        attacks.put(
                "configuration of the worktree",
                PROGRAM + "own=$(git rev-parse --git-dir); for f in config config.worktree "
                        + "hooks info/attributes commondir gitdir; do rm -rf $own/$f; mkdir -p $own/info; "
                        + "printf '[core]\\n\\tfsmonitor = %s\\n[filter \"x\"]\\n\\tclean = %s\\n' $run $run > $own/$f; done; "
                        + "echo '* filter=x' > .gitattributes; echo x > x");
        attacks.put(
                "names that look like options",
                PROGRAM + "touch -- '--output=@marks@/out' '-c' '--exec=./evil-program' "
                        + "\"$(printf 'a\\nb')\" \"$(printf '\\033]0;x\\007')\" ':(top)x'; echo x > '$(id > @marks@/name)'");
        attacks.put(
                "links out of the tree",
                PROGRAM + "ln -s @repository@/../.. out; ln -s .git/hooks hooks; ln -s /etc/passwd a; "
                        + "mkdir d; ln -s ../.. d/up; rm a.txt; ln -s @marks@ a.txt");
        attacks.put(
                "an index that is a device, and references that are pipes",
                PROGRAM + "own=$(git rev-parse --git-dir); "
                        + "rm $own/index; ln -s /dev/zero $own/index; rm -f $own/HEAD; mkfifo $own/HEAD; echo x > x");
        attacks.put(
                "an index that is a pipe",
                PROGRAM + "own=$(git rev-parse --git-dir); rm $own/index; mkfifo $own/index; echo x > x");
        attacks.put(ENDLESS, PROGRAM + "mkfifo .gitignore; ln -s /dev/zero .gitattributes");
        attacks.put(
                "a branch that is a pipe",
                PROGRAM + "common=$(git rev-parse --git-common-dir); b=$common/refs/heads/brig/*; "
                        + "rm $b; mkfifo $common/refs/heads/brig/other; echo x > x");
        attacks.put(
                "a file that is larger than what is allowed",
                PROGRAM + "truncate -s 3G big; mkfifo pipe; mkdir shut; " + "touch shut/x; chmod 0 shut");
        attacks.put(
                "a filter that does not end",
                nested("echo '* filter=x' > .git/info/attributes; "
                        + "printf '#!/bin/sh\\nsleep 600\\n' > ../evil-program; git config filter.x.clean \"$up\""));
        attacks.put(
                "a pack that grows",
                PROGRAM + "for i in 1 2 3; do head -c 40000000 /dev/zero | tr '\\0' $i > z$i; done; "
                        + "git add -A; git $c commit -qm z; git repack -adfq 2> /dev/null; git gc -q 2> /dev/null; echo x > x");
        return attacks;
    }

    static Stream<String> names() {
        return attacks().keySet().stream();
    }

    private String script(String name) {
        return attacks().get(name).replace("@marks@", marks.toString()).replace("@repository@", repository.toString());
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldRunNothingOfTheAgentsOutsideAWall(String name) throws Exception {
        assumeTrue(Installation.isRoot(), "programs that are executed can be watched by root only");
        String script = script(name);
        Map<String, Long> before = hostFiles();
        List<String> executed;
        try (ExecWatch watch = new ExecWatch(fixture.root, "evil-program")) {
            for (String mode : name.equals(FILTER) ? List.of("worktree", "snapshot") : List.of("worktree")) {
                try (Walled session = new Walled(fixture, "shell", worktree(mode))) {
                    session.say(script);
                    session.untilDone();
                    ask("diff", session.id(), "");
                    ask("apply", session.id(), ",\"check\":true,\"allow\":[\"*\"]");
                    ask("apply", session.id(), "");
                    session.terminate();
                    ask("diff", session.id(), "");
                    ask("discard", session.id(), "");
                }
            }
            executed = watch.seen();
        }

        assertEquals(
                List.of(),
                executed.stream().filter(line -> line.startsWith("host ")).toList());
        assertTrue(!name.equals(FILTER) || executed.size() > 0, "git did not fall into the trap, so nothing was shown");
        assertEquals(List.of(), list(marks));
        Map<String, Long> after = hostFiles();
        after.keySet().removeAll(List.of("x"));
        assertEquals(before, after, "the repository is as it was, but for what was taken over");
    }

    private static List<String> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** Scenario: an agent in the repository itself leaves a trap there; later sessions are made of that repository. */
    @Test
    void shouldNotBeTrappedByARepositoryThatAnAgentWorkedIn() throws Exception {
        String trap = script(FILTER);
        fixture.runToEnd(control, id(), Map.of("workspace", repository.toString()), trap);
        for (String mode : List.of("worktree", "snapshot")) {
            String id = id();
            fixture.runToEnd(control, id, worktree(mode), "echo more >> a.txt");
            String applied = ask("apply", id, ",\"allow\":[\"*\"]");
            assertTrue(applied.contains("applied=true"), applied);
            ask("discard", id, "");
            host("git -c safe.directory='*' checkout -q a.txt");
        }
        assertEquals(List.of(), list(marks));
    }

    /** Scenario: one session's program never ends; its neighbour's requests are asked while it is being waited for. */
    @Test
    void shouldLetNoSessionWaitForAnothersProgram() throws Exception {
        try (Walled slow = new Walled(fixture, "shell", worktree("worktree"));
                Walled quick = new Walled(fixture, "shell", worktree("worktree"))) {
            slow.say(script(ENDLESS));
            slow.untilDone();
            quick.say("echo two >> a.txt");
            quick.untilDone();
            List<CompletableFuture<String>> hanging = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                hanging.add(CompletableFuture.supplyAsync(() -> answer("diff", slow.id())));
            }
            assertTrue(answer("diff", quick.id()).contains("+two"));
            assertTrue(answer("apply", quick.id()).contains("applied=true"));
            assertFalse(hanging.stream().anyMatch(CompletableFuture::isDone), "the neighbour was first");
            for (CompletableFuture<String> one : hanging) {
                String said = one.join();
                assertTrue(said.contains("WORKSPACE_UNREADABLE") || said.contains("QUEUE_FULL"), said);
            }
            slow.terminate();
        }
        assertEquals(List.of(), list(marks));
    }

    private String answer(String op, String id) {
        try {
            return ask(op, id, "");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Scenario: the worker-agent is gone while hostile workspaces stand; the next one ends them beside its other work. */
    @Test
    void shouldStartAndServeWhateverLiesThere() throws Exception {
        Walled hostile = new Walled(fixture, "shell", worktree("worktree"));
        hostile.say(script(ENDLESS));
        hostile.untilDone();
        Path note = fixture.root.resolve("workspaces/" + hostile.id() + ".worktree");
        hostile.close();
        fixture.agent.close();
        // As if that worker-agent had been killed: its note says neither that the spawn ended nor that its owner lives.
        Map<String, Object> known = new LinkedHashMap<>(Json.parseObject(Files.readAllBytes(note)));
        Map<String, Object> owner = new LinkedHashMap<>(asMap(known.get("owner")));
        owner.put("started_ms", 1L);
        known.put("owner", owner);
        known.put("ended_ms", 0L);
        Files.write(note, Json.writeLine(known));
        control.close();
        fixture.open();
        control = fixture.control();
        assertEquals("served\n", fixture.runToEnd(control, id(), worktree("worktree"), "echo served"));
        while (!String.valueOf(control.ask("{\"id\":3,\"op\":\"workspaces\"}")).contains(hostile.id())) {
            LockSupport.parkNanos(2_000_000);
        }
        assertEquals(List.of(), list(marks));
    }

    @Test
    void shouldTakeOverOnlyWhatAPersonNamed() throws Exception {
        String id = id();
        fixture.runToEnd(
                control,
                id,
                worktree("worktree"),
                "echo two >> a.txt; printf '#!/bin/sh\\n' > run; chmod 755 run; "
                        + "ln -s /etc/hostname away; mkdir .vscode; echo '{}' > .vscode/tasks.json; ln -s a.txt near");
        String refused = ask("apply", id, "");
        assertTrue(
                refused.contains("applied=false")
                        && refused.matches("(?s).*withheld=.*=startup_file.*=link_out.*=executable.*"),
                refused);
        assertFalse(refused.substring(refused.indexOf("withheld=")).contains("near"), refused);
        assertEquals("one\n", Files.readString(repository.resolve("a.txt")));
        assertTrue(ask("apply", id, ",\"allow\":[\"run\",\"away\"]").contains("reason=startup_file"));
        assertTrue(
                ask("apply", id, ",\"allow\":[\"run\",\"away\",\".vscode/**\"]").contains("applied=true"));
        assertEquals("one\ntwo\n", Files.readString(repository.resolve("a.txt")));
        assertTrue(Files.isExecutable(repository.resolve("run")));
        assertEquals(Path.of("/etc/hostname"), Files.readSymbolicLink(repository.resolve("away")));
        assertTrue(ask("apply", id, "").contains("patch=,"), "all of it is there");
    }

    /** Scenario: changes are taken over twice, with the same files changed in between. */
    @Test
    void shouldTakeOverAgainOnlyWhatIsNew() throws Exception {
        try (Walled session = new Walled(fixture, "shell", worktree("worktree"))) {
            for (String step : List.of(
                    "echo two >> a.txt; mkdir d; echo x > d/f; head -c 2000 /dev/urandom > bin",
                    "echo three >> a.txt; rm -r d; echo file > d; head -c 1000 /dev/urandom > bin",
                    "rm d bin; mkdir d; echo y > d/f")) {
                session.say(step);
                session.untilDone();
                String applied = ask("apply", session.id(), "");
                assertTrue(applied.contains("applied=true"), applied);
            }
            assertEquals("one\ntwo\nthree\n", Files.readString(repository.resolve("a.txt")));
            assertEquals("y\n", Files.readString(repository.resolve("d/f")));
            assertFalse(Files.exists(repository.resolve("bin")));
            session.terminate();
        }
    }
}
