package brig.workeragent;

import static brig.protocol.spawn.SpawnRequest.WorkspaceMode.SNAPSHOT;
import static brig.protocol.spawn.SpawnRequest.WorkspaceMode.WORKTREE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.ApplyAnswer.Withheld.Reason;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.TransferRequest;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Worktrees of a repository of another host: what goes there, and what comes back. */
@Timeout(180)
class LentRepositoryTest {
    private TwoHosts hosts;

    @BeforeEach
    void open() throws Exception {
        hosts = new TwoHosts();
        hosts.host("""
                git init -q -b main . && git config user.name Ann && git config user.email ann@example.org
                git config http.proxy http://user:hunter2@proxy.example
                echo one > a.txt; echo two > b.txt; echo COMMITTED > .env; git add -A; git commit -qm first
                echo three >> b.txt; git commit -qam second
                echo UNCOMMITTED > .env; echo changed > a.txt; echo LOOSE > new.txt; echo KEY > id_rsa""");
    }

    @AfterEach
    void close() throws IOException {
        hosts.close();
    }

    private SpawnRequest request(SpawnRequest.WorkspaceMode mode, String prompt) {
        return hosts.request(mode, prompt);
    }

    private String run(String spawnId, SpawnRequest request) throws IOException {
        return hosts.run(spawnId, request, hosts.bring(spawnId, request));
    }

    private String text(String file) throws IOException {
        return Files.readString(hosts.repository.resolve(file));
    }

    @Test
    void shouldMakeAWorktreeOfHeadAndTakeItsChangesBack() throws Exception {
        String id = TwoHosts.newId();
        String said = run(id, request(WORKTREE, """
                cat a.txt b.txt; ls -A; git log --format=%an:%s; git config user.name; git config http.proxy
                touch "$(git rev-parse --git-common-dir)/objects/x" && echo own objects
                touch "$(cat "$(git rev-parse --git-common-dir)/objects/info/alternates")/x" 2>/dev/null || echo not the mirror
                echo four >> b.txt; git commit -qam work; rm a.txt; mkdir d; echo new > d/e.txt"""));
        assertTrue(said.startsWith("one\ntwo\nthree\n.git\na.txt\nb.txt\na:second\na:first\nAnn\n"), said);
        assertTrue(said.contains("own objects\n") && said.contains("not the mirror\n"), said);
        assertFalse(said.contains("hunter2"), said);

        DiffAnswer diff = TwoHosts.control(hosts.far, new ControlRequest.Diff(id, null, false), DiffAnswer.class);
        assertEquals("brig/" + id, diff.branch());
        assertTrue(diff.diff().contains("+four\n"), diff.diff());
        WorkspacesAnswer kept = TwoHosts.control(hosts.far, new ControlRequest.Workspaces(), WorkspacesAnswer.class);
        assertEquals(
                List.of(hosts.repository.toString()),
                kept.workspaces().stream()
                        .map(WorkspacesAnswer.KeptWorkspace::source)
                        .toList());

        hosts.host("git checkout -q a.txt");
        ApplyAnswer checked = hosts.apply(id, true);
        assertEquals(List.of(), checked.conflicts());
        assertFalse(checked.applied());
        assertEquals("two\nthree\n", text("b.txt"));
        ApplyAnswer applied = hosts.apply(id, false);
        assertTrue(applied.applied(), applied::toString);
        assertEquals(hosts.repository.toRealPath().toString(), applied.repository());
        assertEquals("two\nthree\nfour\n", text("b.txt"));
        assertEquals("new\n", text("d/e.txt"));
        assertFalse(Files.exists(hosts.repository.resolve("a.txt")));
        assertEquals("UNCOMMITTED\n", text(".env"));
        assertEquals("", hosts.apply(id, false).patch(), "the other host knows what was applied");

        TwoHosts.control(hosts.far, new ControlRequest.Discard(id), DiscardAnswer.class);
        assertEquals(List.of(), left(hosts.far.root.resolve("workspaces")));
        TwoHosts.control(hosts.home, new ControlRequest.Discard(id), DiscardAnswer.class);
        assertEquals(List.of("project"), left(hosts.home.root.resolve("workspaces")));
        assertEquals(
                ErrorCode.NOT_FOUND,
                TwoHosts.refusal(() -> hosts.applyPatch(id, false, new byte[0], 0))
                        .code());
    }

    private static List<String> left(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldTakeUncommittedChangesButNoPrivateFilesToTheOtherHost() throws Exception {
        String said = run(TwoHosts.newId(), request(SNAPSHOT, "cat a.txt; ls -A; git show HEAD:.env"));
        assertEquals("changed\n.git\na.txt\nb.txt\nCOMMITTED\n", said, "what is committed is in the history");
        Path mirrors = hosts.far.root.resolve("state/repositories");
        String all = TwoHosts.host(mirrors.resolve(left(mirrors).get(1)), """
                git() { command git -c safe.directory='*' "$@"; }
                git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' |
                    sed -n 's/^blob //p' | while read id; do git cat-file blob $id; done""");
        assertTrue(all.contains("COMMITTED") && all.contains("changed"), all);
        assertFalse(all.contains("UNCOMMITTED") || all.contains("LOOSE") || all.contains("KEY"), all);
    }

    @Test
    void shouldSendOnlyWhatIsMissing() throws Exception {
        hosts.host("head -c 300000 /dev/urandom > big; git add big; git commit -qm big");
        String id = TwoHosts.newId();
        SpawnRequest request = request(WORKTREE, "cat b.txt");
        String mirror = hosts.lendable(id, request);
        assertEquals(List.of(), hosts.commits(mirror));
        TwoHosts.Packed first = hosts.lend(request, List.of());
        assertTrue(first.pack().length > 300_000);
        hosts.receive(first);
        assertEquals(List.of(first.lent().head()), hosts.commits(mirror));
        assertEquals(0, hosts.lend(request, hosts.commits(mirror)).pack().length);

        hosts.host("echo x >> big; git commit -qm more big");
        TwoHosts.Packed more = hosts.lend(request, hosts.commits(mirror));
        assertTrue(more.pack().length < 1000, "a difference, not the file: " + more.pack().length);
        hosts.receive(more);
        assertEquals("two\nthree\n", hosts.run(id, request, more.lent().start()));

        TwoHosts.Packed changed = hosts.lend(request(SNAPSHOT, ""), hosts.commits(mirror));
        assertTrue(changed.pack().length < 1000);
        hosts.receive(changed);
        assertEquals(
                List.of(first.lent().head(), more.lent().head()),
                hosts.commits(mirror),
                "home does not have the commit of uncommitted changes");
    }

    @Test
    void shouldLeaveAUsableMirrorWhereverAPackIsCut() throws Exception {
        String id = TwoHosts.newId();
        SpawnRequest request = request(WORKTREE, "cat b.txt");
        TwoHosts.Packed packed = hosts.lend(request, List.of());
        String mirror = packed.lent().start().mirror();
        int length = packed.pack().length;
        for (int tenth = 0; tenth < 10; tenth++) {
            byte[] part = Arrays.copyOf(packed.pack(), length * tenth / 10);
            // The connection ends in the middle, and a gateway that says too small a length.
            try (TwoHosts.Connection to =
                    new TwoHosts.Connection(hosts.far, new brig.protocol.control.LinkPurpose.Transfer())) {
                MirrorStart start = packed.lent().start();
                to.send(new TransferRequest.Receive(
                        start.mirror(), start.commit(), packed.lent().head(), length));
                to.send(part);
                to.end();
                assertTrue(new String(to.line(), UTF_8).contains("WORKSPACE_UNREADABLE"));
            }
            assertEquals(
                    ErrorCode.WORKSPACE_UNREADABLE,
                    TwoHosts.refusal(() -> hosts.receive(new TwoHosts.Packed(packed.lent(), part)))
                            .code());
            assertEquals(List.of(), hosts.commits(mirror));
        }
        byte[] damaged = packed.pack().clone();
        damaged[length / 2] ^= 1;
        TwoHosts.refusal(() -> hosts.receive(new TwoHosts.Packed(packed.lent(), damaged)));
        hosts.receive(packed);
        assertEquals("two\nthree\n", hosts.run(id, request, packed.lent().start()));
        assertEquals(
                List.of(),
                left(hosts.far.root.resolve("state/repositories")).stream()
                        .filter(name -> name.endsWith(".pack"))
                        .toList());
    }

    @Test
    void shouldRefuseWhatAMirrorSaysThatItHasAndHasNot() throws Exception {
        // Scenario: the other host says that it has the first commit, so home sends the second alone.
        String id = TwoHosts.newId();
        SpawnRequest request = request(WORKTREE, "cat b.txt");
        String head = hosts.host("git rev-parse HEAD").strip();
        String parent = hosts.host("git rev-parse HEAD~1").strip();
        TwoHosts.Packed part = hosts.lend(request, List.of(parent, "0".repeat(40)));
        assertEquals(
                ErrorCode.WORKSPACE_UNREADABLE,
                TwoHosts.refusal(() -> hosts.receive(part)).code());
        String mirror = part.lent().start().mirror();
        assertEquals(List.of(), hosts.commits(mirror));

        // It says that it has HEAD: nothing is sent, and there is no worktree.
        TwoHosts.Packed nothing = hosts.lend(request, List.of(head));
        assertEquals(0, nothing.pack().length);
        assertEquals(
                ErrorCode.NOT_FOUND,
                TwoHosts.refusal(() -> hosts.run(id, request, nothing.lent().start()))
                        .code());

        // Its list says that all is there, and the objects are gone: the next pack brings everything.
        hosts.bring(id, request);
        Path mirrors = hosts.far.root.resolve("state/repositories");
        try (Stream<Path> packs = Files.list(mirrors.resolve(mirror + ".sha1.git/objects/pack"))) {
            for (Path file : packs.toList()) {
                Files.delete(file);
            }
        }
        hosts.host("echo four >> b.txt; git commit -qam third");
        TwoHosts.refusal(() -> hosts.bring(id, request));
        assertEquals("two\nthree\nfour\n", run(id, request));
    }

    @Test
    void shouldRefuseObjectsThatGitRefusesOfStrangers() throws Exception {
        // Scenario: a tree with a file .git/x, as a hostile repository has it.
        hosts.host("""
                blob=$(echo x | git hash-object -w --stdin)
                inner=$(printf '100644 blob %s\\tx\\n' $blob | git mktree)
                tree=$(printf '040000 tree %s\\t.git\\n' $inner | git mktree)
                git update-ref HEAD $(git commit-tree -p HEAD -m evil $tree)""");
        assertTrue(TwoHosts.refusal(() -> hosts.bring(TwoHosts.newId(), request(WORKTREE, "true")))
                .getMessage()
                .contains("hasDotgit"));
    }

    @Test
    void shouldRefuseARepositoryThatMayNotBeLent() throws Exception {
        SpawnRequest request = request(WORKTREE, "true");
        SpawnRequest.Asker stranger = new SpawnRequest.Asker("uid:1", false);
        Path outside = Files.createDirectories(hosts.home.root.resolve("elsewhere"));
        TwoHosts.host(outside, "git init -q .");
        SpawnRequest other = new SpawnRequest(
                null,
                null,
                request.agentConfig(),
                null,
                false,
                null,
                WORKTREE,
                outside.toString(),
                false,
                request.claim(),
                request.bounds(),
                request.talk(),
                null,
                request.place(),
                Setup.NONE);
        assertEquals(
                ErrorCode.WORKSPACE_OUTSIDE_BASE,
                TwoHosts.refusal(() -> TwoHosts.control(
                                hosts.home,
                                new ControlRequest.Lendable(null, other, stranger),
                                brig.protocol.control.LendableAnswer.class))
                        .code());
        assertEquals(
                ErrorCode.NOT_FOUND,
                TwoHosts.refusal(() -> hosts.applyPatch(TwoHosts.newId(), false, new byte[0], 0))
                        .code());
        assertEquals(
                ErrorCode.INVALID_FIELD,
                TwoHosts.refusal(() -> hosts.run(TwoHosts.newId(), request, null))
                        .code());
    }

    private static byte[] patch(String path, String mode, String content) {
        return ("diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\nindex " + "0".repeat(40) + ".."
                        + "1".repeat(40) + "\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+" + content
                        + "\n\\ No newline at end of file\n")
                .getBytes(UTF_8);
    }

    @Test
    void shouldJudgeThePatchOfAnotherHostAsThatOfAnAgent() throws Exception {
        String id = TwoHosts.newId();
        hosts.lendable(id, request(WORKTREE, ""));
        String before = hosts.host("git status --porcelain --ignored");
        for (String path : List.of(
                "../out.txt", "/tmp/out.txt", "a/../../out.txt", ".git/hooks/post-checkout", "sub/.GIT/config")) {
            ApplyAnswer answer = judged(id, patch(path, "100644", "x"));
            assertEquals(1, answer.conflicts().size(), answer::toString);
        }
        String commit = "Subproject commit " + "2".repeat(40);
        for (Map.Entry<Reason, byte[]> each : Map.of(
                        Reason.LINK_OUT, patch("link", "120000", "../../etc/passwd"),
                        Reason.REPOSITORY, patch("sub", "160000", commit),
                        Reason.EXECUTABLE, patch("run.sh", "100755", "x"),
                        Reason.STARTUP_FILE, patch(".envrc", "100644", "x"))
                .entrySet()) {
            ApplyAnswer answer = judged(id, each.getValue());
            assertEquals(
                    List.of(each.getKey()),
                    answer.withheld().stream().map(ApplyAnswer.Withheld::reason).toList());
        }
        assertEquals(before, hosts.host("git status --porcelain --ignored"));
        assertFalse(Files.exists(hosts.repository.resolveSibling("out.txt")));
    }

    private ApplyAnswer judged(String id, byte[] patch) throws IOException {
        ApplyAnswer answer = hosts.applyPatch(id, false, patch, patch.length);
        assertFalse(answer.applied(), answer::toString);
        return answer;
    }

    @Test
    @Tag("slow")
    void shouldRefuseWhatIsNoPatchOrTooMuchOfOne() throws Exception {
        String id = TwoHosts.newId();
        hosts.lendable(id, request(WORKTREE, ""));
        byte[] patch = patch("c.txt", "100644", "x");
        for (int tenth = 0; tenth < 10; tenth++) {
            byte[] part = Arrays.copyOf(patch, patch.length * tenth / 10);
            assertEquals(
                    ErrorCode.WORKSPACE_UNREADABLE,
                    TwoHosts.refusal(() -> hosts.applyPatch(id, false, part, patch.length))
                            .code());
        }
        long tooMany = 100L * 1024 * 1024;
        assertEquals(
                ErrorCode.INVALID_FIELD,
                TwoHosts.refusal(() -> hosts.applyPatch(id, false, new byte[0], tooMany))
                        .code());
        byte[] zeros = new byte[(int) TransferRequest.PATCH_BYTES_MAX];
        assertEquals(
                ErrorCode.WORKSPACE_UNREADABLE,
                TwoHosts.refusal(() -> hosts.applyPatch(id, false, zeros, zeros.length))
                        .code());
        assertFalse(Files.exists(hosts.repository.resolve("c.txt")));
        assertTrue(hosts.applyPatch(id, false, patch, patch.length).applied());
        assertEquals("x", text("c.txt"));
        assertEquals(List.of("project", id + ".lent"), left(hosts.home.root.resolve("workspaces")));
    }

    @Test
    void shouldSayWhatConflictsAndChangeNothing() throws Exception {
        String id = TwoHosts.newId();
        run(id, request(WORKTREE, "echo theirs > a.txt; echo new > c.txt"));
        ApplyAnswer answer = hosts.apply(id, false);
        assertFalse(answer.applied());
        assertTrue(answer.conflicts().toString().contains("a.txt"), answer::toString);
        assertFalse(Files.exists(hosts.repository.resolve("c.txt")));
        hosts.host("git checkout -q a.txt");
        assertTrue(hosts.apply(id, false).applied());
        assertEquals("theirs\n", text("a.txt"));
    }
}
