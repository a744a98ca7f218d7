package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.tunnel.files.RemoteFolder;
import brig.workeragent.tunnel.files.RemoteFolders;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A folder behind the host's real sshfs and SFTP server, as programs here and behind a wall see it. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteFolderTest {
    private static final Path SERVER = Path.of("/usr/lib/openssh/sftp-server");
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final int FILES = 500;
    private static final int STAT_MICROS_MAX = 1000;

    private WallFixture wall;
    private Path far;
    private RemoteFolders folders;

    @BeforeAll
    static void shouldHavePrograms() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/sshfs"))
                        && Files.isExecutable(SERVER)
                        && Files.exists(Path.of("/dev/fuse")),
                "sshfs, openssh-sftp-server or /dev/fuse is missing: no folder of another host is tested");
    }

    @BeforeEach
    void open() throws IOException {
        wall = new WallFixture(new RlimitsOnly());
        far = Files.createDirectories(wall.root.resolve("far/project"));
        folders = folders(wall.root);
        Files.writeString(far.resolve(".env"), "SECRET");
        Files.writeString(far.resolve("public.txt"), "public\n");
        Files.writeString(wall.root.resolve("far/outside.txt"), "SECRET");
        Files.createSymbolicLink(far.resolve("innocent"), Path.of(".env"));
        Files.createSymbolicLink(far.resolve("out"), wall.root.resolve("far/outside.txt"));
        Files.createSymbolicLink(far.resolve("up"), Path.of(".."));
    }

    @AfterEach
    void close() throws IOException {
        assertEquals(List.of(), mounts(), "nothing stays mounted");
        wall.close();
    }

    private static RemoteFolders folders(Path root) {
        WorkerIdentity identity;
        try {
            identity = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
        } catch (SandboxException e) {
            throw new AssertionError(e);
        }
        return new RemoteFolders(root.resolve("remote"), new WorkersUser(identity.uid(), identity.switched()));
    }

    private RemoteFolder mount(String... command) {
        return folders.mount(new RemoteFolders.Request(
                "test", List.of(command), far.toString(), List.of(".env", "*.pem"), DEADLINE));
    }

    private RemoteFolder mount() {
        return mount(SERVER.toString());
    }

    private List<String> mounts() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(wall.root.toString()))
                .toList();
    }

    private String behindTheWall(RemoteFolder folder, String script) {
        WallProfile profile = wall.profile()
                .with(List.of(new WallProfile.Mount(
                        folder.mountPoint(), folder.mount(false).target(), false)));
        WallFixture.Result result = wall.run(new LaunchRequest(
                "remote",
                profile,
                ResourceLimits.DEFAULT,
                List.of("/bin/sh", "-c", "cd " + far + "\n" + script),
                false,
                LaunchRequest.START_TIMEOUT_MS));
        return result.stdout() + result.stderr();
    }

    @Test
    void shouldBeReadAndWrittenBehindAWallAtItsOwnPath() throws Exception {
        try (RemoteFolder folder = mount()) {
            assertEquals(far.toRealPath(), folder.farPath());
            String said = behindTheWall(folder, """
                    pwd; cat public.txt
                    mkdir -p a/b && echo one > a/b/new && mv a/b/new a/b/newer && echo two >> a/b/newer && cat a/b/newer
                    ln -s public.txt fine && cat fine && rm fine
                    sync a/b/newer && stat -c '%u %s' a/b/newer
                    grep -r SECRET . 2>&1 | sort
                    for name in .env innocent out up/outside.txt; do cat $name 2>&1; done
                    mv .env free 2>&1; ln .env free 2>&1; cp .env free 2>&1; rm -f .env 2>&1
                    """);
            assertFalse(said.contains("SECRET"), said);
            assertTrue(said.startsWith(far + "\npublic\none\ntwo\npublic\n1000 8\n"), said);
            assertEquals(8, said.split("Permission denied", -1).length, said);
            assertEquals("one\ntwo\n", Files.readString(far.resolve("a/b/newer")));
            assertEquals("SECRET", Files.readString(far.resolve(".env")));
        }
    }

    @Test
    @Tag("slow")
    void shouldServeGitAndAnswerAStatInAMillisecond() throws Exception {
        for (int i = 0; i < FILES; i++) {
            Files.writeString(far.resolve("file" + i), "text " + i);
        }
        far("git init -q . && git add file* && git -c user.name=a -c user.email=a@b commit -qm all");
        try (RemoteFolder folder = mount()) {
            String said = behindTheWall(folder, """
                    echo more >> file7; git status --short; git add file7
                    git -c user.name=a -c user.email=a@b commit -qm one; git status --short file7; git log --oneline | wc -l
                    """);
            assertEquals(" M file7\n?? .env\n?? innocent\n?? out\n?? public.txt\n?? up\n2\n", said);

            long best = Long.MAX_VALUE;
            for (int round = 0; round < 3; round++) {
                best = Math.min(best, statMedianMicros(folder.mountPoint()));
            }
            assertTrue(best <= STAT_MICROS_MAX, best + " us");
        }
    }

    /** Runs on the far side, as the user that owns its files. */
    private void far(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("/bin/sh", "-c", script)
                .directory(far.toFile())
                .inheritIO()
                .start();
        assertEquals(0, process.waitFor());
    }

    private static long statMedianMicros(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            assertTrue(files.count() > FILES);
        }
        long[] nanos = new long[FILES];
        for (int i = 0; i < FILES; i++) {
            long start = System.nanoTime();
            Files.readAttributes(folder.resolve("file" + i), BasicFileAttributes.class);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return TimeUnit.NANOSECONDS.toMicros(nanos[FILES / 2]);
    }

    @Test
    void shouldShowWhatACommandOfTheFarSideHasChanged() throws Exception {
        try (RemoteFolder folder = mount()) {
            Path file = folder.mountPoint().resolve("public.txt");
            assertEquals("public\n", Files.readString(file));
            Files.writeString(far.resolve("public.txt"), "changed, and longer\n");
            folder.forget();
            assertEquals("changed, and longer\n", Files.readString(file));

            Files.createLink(far.resolve("old"), far.resolve(".env"));
            folder.hide(List.of(far.toRealPath().resolve("old").toString()));
            assertThrows(
                    IOException.class,
                    () -> Files.readString(folder.mountPoint().resolve("old")));
        }
    }

    @Test
    void shouldFailInTimeWhenTheLinkIsLost() throws Exception {
        Path pid = wall.root.resolve("pid");
        RemoteFolder folder = mount("/bin/sh", "-c", "echo $$ > " + pid + "; exec " + SERVER);
        // The file is renamed only when all of it is there; what is cut before that has another name.
        Files.writeString(folder.mountPoint().resolve("whole"), "whole");
        long server = Long.parseLong(Files.readString(pid).strip());
        signal("STOP", server);

        long start = System.nanoTime();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                Files.writeString(folder.mountPoint().resolve("half"), "half");
                Files.move(
                        folder.mountPoint().resolve("half"), folder.mountPoint().resolve("whole"));
                return "done";
            } catch (IOException lost) {
                return "lost";
            }
        });
        assertEquals("lost", read.get(20, TimeUnit.SECONDS));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds < 2 * DEADLINE.toSeconds() + 2, seconds + " s");
        assertEquals("the far side did not answer for 2 s", folder.ended().get(20, TimeUnit.SECONDS));
        assertFalse(Files.exists(folder.mountPoint()));
        assertEquals("whole", Files.readString(far.resolve("whole")));
        ended(server);
    }

    @Test
    void shouldEndWhenTheServerOrSshfsIsKilled() throws Exception {
        Path pid = wall.root.resolve("pid");
        RemoteFolder folder = mount("/bin/sh", "-c", "echo $$ > " + pid + "; exec " + SERVER);
        signal("KILL", Long.parseLong(Files.readString(pid).strip()));
        assertEquals("the far side closed the connection", folder.ended().get(20, TimeUnit.SECONDS));

        RemoteFolder second = mount();
        WallFixture.processesWith(second.mountPoint().toString()).forEach(ProcessHandle::destroyForcibly);
        second.ended().get(20, TimeUnit.SECONDS);
        second.close();
        assertFalse(Files.exists(second.mountPoint()));
    }

    @Test
    @Tag("slow")
    void shouldSweepWhatAKilledWorkerAgentLeft() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                // Standard output is for the mount point alone.
                "-Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                wall.root.toString(),
                far.toString()));
        Process holder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String point = WallFixture.line(holder.getInputStream());
        assertEquals("public\n", Files.readString(Path.of(point, "public.txt")));
        List<ProcessHandle> left = holder.descendants().toList();
        // sshfs is stopped, so it cannot take the mount away itself.
        for (ProcessHandle process : WallFixture.processesWith(point)) {
            signal("STOP", process.pid());
        }
        holder.destroyForcibly().waitFor();
        assertFalse(mounts().isEmpty());

        folders.sweep();
        assertEquals(List.of(), mounts());
        assertFalse(Files.exists(Path.of(point)));
        for (ProcessHandle process : left) {
            process.destroyForcibly();
            ended(process.pid());
        }
        assertEquals("public\n", Files.readString(far.resolve("public.txt")));
    }

    @Test
    void shouldNameWhatTheFarSideLacks() throws Exception {
        assertEquals(
                ErrorCode.INVALID_FIELD,
                assertThrows(
                                BrigException.class,
                                () -> folders.mount(new RemoteFolders.Request(
                                        "test", List.of(SERVER.toString()), far + "/public.txt", List.of(), DEADLINE)))
                        .code());
        BrigException silent = assertThrows(BrigException.class, () -> mount("/bin/cat", "/dev/null"));
        assertEquals(ErrorCode.HOST_UNREACHABLE, silent.code());
        BrigException refused = assertThrows(
                BrigException.class, () -> mount("/bin/sh", "-c", "echo 'no such\u001b host' >&2; exec cat"));
        assertEquals(ErrorCode.HOST_UNREACHABLE, refused.code());
        assertFalse(refused.getMessage().contains("\u001b"), refused.getMessage());
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, "--", Long.toString(pid))
                        .start()
                        .waitFor());
    }

    private static void ended(long pid) throws ExecutionException, InterruptedException {
        CompletableFuture<ProcessHandle> exit =
                ProcessHandle.of(pid).map(ProcessHandle::onExit).orElse(null);
        if (exit != null) {
            exit.get();
        }
    }

    /** A worker-agent with one mount, to be killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            RemoteFolder folder = folders(Path.of(arguments[0]))
                    .mount(new RemoteFolders.Request(
                            "held", List.of(SERVER.toString()), arguments[1], List.of(".env"), DEADLINE));
            System.out.println(folder.mountPoint());
            folder.ended().join();
        }
    }
}
