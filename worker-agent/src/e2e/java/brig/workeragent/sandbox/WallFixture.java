package brig.workeragent.sandbox;

import brig.protocol.spawn.WallKind;
import brig.workeragent.TestFolders;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.ResourceLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/** A launcher on this host's real bwrap, with folders that the worker's user can get to. */
final class WallFixture implements AutoCloseable {

    private static final int WAIT_SECONDS = 30;
    private static final AtomicInteger WORKERS = new AtomicInteger();

    /** Unpacked by the build. */
    private static final Path RUNSC = Path.of(System.getProperty("brig.gvisor", "/none"), "usr/bin/runsc");

    /** Made by the build. */
    private static final Path KERNEL = Path.of(System.getProperty("brig.vm", "/none"));

    private final WallKind kind;
    final Path root;
    final Path workspace;
    final WorkerIdentity identity;
    final Launcher launcher;

    WallFixture(LimitsBackend limits) {
        this(limits, LauncherConfig.BWRAP);
    }

    WallFixture(LimitsBackend limits, Path bwrap) {
        this(limits, bwrap, nativeFolder(), identityOfHost(), WallKind.BWRAP);
    }

    /** Its walls are of that kind, if this host has it. */
    WallFixture(LimitsBackend limits, WallKind kind) {
        this(limits, LauncherConfig.BWRAP, nativeFolder(), identityOfHost(), kind);
    }

    /** For another user, who needs programs that he can get to. */
    WallFixture(LimitsBackend limits, Path bwrap, Path programs, WorkerIdentity identity, WallKind kind) {
        this.identity = identity;
        this.kind = kind;
        if (kind == WallKind.GVISOR) {
            Assumptions.assumeTrue(Files.isExecutable(RUNSC), "there is no gVisor, which the build unpacks");
        }
        if (kind == WallKind.VM) {
            Assumptions.assumeTrue(
                    Files.isExecutable(MachineImage.QEMU) && Files.exists(KERNEL.resolve("vmlinux")),
                    "there is no QEMU, or no kernel that the build makes ready");
            requireMachineImage();
        }
        try {
            root = TestFolders.create("brig-test");
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
            workspace = Files.createDirectory(root.resolve("workspace"));
            Files.setAttribute(workspace, "unix:uid", identity.uid());
            launcher = Launcher.open(new LauncherConfig(
                    bwrap, programs, root.resolve("run"), identity, limits, GvisorProgram.at(RUNSC), machines(KERNEL)));
        } catch (IOException | SandboxException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Of one processor and a memory that all tests can have. */
    static MachineImage machines(Path kernel) {
        return new MachineImage(new MachineImage.Settings(MachineImage.QEMU, kernel, nativeFolder(), 2048, 1));
    }

    /** Whoever is first makes it, which takes longer than a launch. */
    private static void requireMachineImage() {
        try {
            machines(KERNEL).require();
        } catch (SandboxException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static WorkerIdentity identityOfHost() {
        try {
            return WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
        } catch (SandboxException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static Path nativeFolder() {
        return Path.of(System.getProperty("brig.native"));
    }

    /** What came of a worker that ran to its end. */
    record Result(ProcessExit exit, String stdout, String stderr) {}

    WallProfile profile() {
        return WallProfile.of(workspace).withKind(kind);
    }

    LaunchRequest shell(String script) {
        return request(ResourceLimits.DEFAULT, false, "/bin/sh", "-c", script);
    }

    LaunchRequest request(ResourceLimits limits, boolean stdinPipe, String... command) {
        return new LaunchRequest(
                "t" + WORKERS.incrementAndGet(),
                profile(),
                limits,
                List.of(command),
                stdinPipe,
                LaunchRequest.START_TIMEOUT_MS);
    }

    static LaunchRequest withEnvironment(LaunchRequest request, Map<String, String> environment) {
        WallProfile old = request.profile();
        var profile = new WallProfile(
                old.workspace(),
                old.workspaceReadOnly(),
                old.mounts(),
                environment,
                old.hostname(),
                old.tmpBytesMax(),
                old.homeBytesMax(),
                old.nested(),
                old.network(),
                old.shells(),
                old.image(),
                old.kind());
        return new LaunchRequest(
                request.workerId(),
                profile,
                request.limits(),
                request.command(),
                request.stdinPipe(),
                request.startTimeoutMs());
    }

    BubblewrapProcess launch(LaunchRequest request) {
        return await(launcher.launch(request));
    }

    Result run(String script) {
        return run(shell(script));
    }

    Result run(LaunchRequest request) {
        BubblewrapProcess process = launch(request);
        var stderr = CompletableFuture.supplyAsync(() -> text(process.stderr().stream()));
        String stdout = text(process.stdout().stream());
        return new Result(await(process.exit()), stdout, await(stderr));
    }

    SandboxException failure(LaunchRequest request) {
        return failure(launcher.launch(request));
    }

    static SandboxException failure(CompletableFuture<?> future) {
        try {
            throw new AssertionError("no failure but " + future.get(WAIT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            return (SandboxException) failed.getCause();
        } catch (InterruptedException | TimeoutException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new AssertionError(failed.getCause() == null ? failed : failed.getCause());
        }
    }

    static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    static String line(InputStream stream) {
        var line = new StringBuilder();
        try {
            for (int next = stream.read(); next >= 0 && next != '\n'; next = stream.read()) line.append((char) next);
            return line.toString();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** The host's processes whose command line holds the text. */
    static List<ProcessHandle> processesWith(String text) {
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"))
                                .contains(text);
                    } catch (IOException gone) {
                        return false;
                    }
                })
                .toList();
    }

    @Override
    public void close() {
        launcher.close();
        delete(root);
    }

    static void delete(Path root) {
        try {
            TestFolders.delete(root);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }
}
