package brig.workeragent.bubblewrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.pipe.InputPipe;
import brig.workeragent.sandbox.BubblewrapProcess;
import brig.workeragent.sandbox.LaunchRequest;
import brig.workeragent.sandbox.Launcher;
import brig.workeragent.sandbox.NetworkPlan;
import brig.workeragent.sandbox.ProcessExit;
import brig.workeragent.sandbox.SandboxException;
import brig.workeragent.sandbox.WallProfile;
import brig.workeragent.sandbox.WorkerIdentity;
import brig.workeragent.wall.HostUser;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WallSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tools behind the walls of {@code brig.workeragent.sandbox}. */
final class SandboxTools implements ToolWall {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxTools.class);
    private static final AtomicLong RUNS = new AtomicLong();
    private static final int COMPLAINT_BYTES_MAX = 2000;
    private static final int PROCESSES_MAX = 128;
    private static final int OPEN_FILES_MAX = 1024;
    private static final long HOME_BYTES = 1024 * 1024;
    private static final int STACK_BYTES = 256 * 1024;
    /** A virtual thread pins its carrier while it waits for a pipe, so one hanging run would block the others. */
    private static final ExecutorService PIPES = Executors.newCachedThreadPool(Thread.ofPlatform()
            .daemon()
            .stackSize(STACK_BYTES)
            .name("brig-tool-", 0)
            .factory());

    private final Launcher launcher;
    private final WallSettings.Tools settings;
    private final ResourceLimits limits;
    private final int startMs;
    private final int uid;

    /** @param user the workers' user */
    SandboxTools(Launcher launcher, WallSettings settings, WorkerIdentity user) {
        this.launcher = launcher;
        this.uid = user.uid();
        this.settings = settings.tools();
        this.startMs = settings.startMs();
        this.limits = new ResourceLimits(
                this.settings.memoryBytesMax(),
                PROCESSES_MAX,
                100 * Runtime.getRuntime().availableProcessors(),
                this.settings.memoryBytesMax(),
                OPEN_FILES_MAX);
    }

    @Override
    public String bounds() {
        return "no network, uid %d, at most %d s and %d MiB"
                .formatted(uid, settings.timeoutMs() / 1000, settings.memoryBytesMax() / (1024 * 1024));
    }

    @Override
    public <T> Said<T> run(Job job, byte[] input, Output<T> output) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", job.script(), "sh"));
        command.addAll(job.arguments());
        var request = new LaunchRequest(
                "tool-" + RUNS.incrementAndGet(),
                profile(job),
                limits,
                command,
                input.length > 0,
                startMs,
                identityOf(job.user()),
                null);
        try {
            return finish(
                    SandboxWalls.await(launcher, request),
                    (long) settings.timeoutMs() * job.timesLonger(),
                    input,
                    output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    private static @Nullable WorkerIdentity identityOf(@Nullable HostUser user) {
        return user == null ? null : new WorkerIdentity(user.uid(), user.gid(), true);
    }

    private WallProfile profile(Job job) {
        Map<String, String> environment = new TreeMap<>(WallProfile.BASE_ENVIRONMENT);
        environment.putAll(job.environment());
        WallProfile usual = WallProfile.of(job.folder());
        return new WallProfile(
                job.folder(),
                job.readOnly(),
                SandboxWalls.profileMounts(job.mounts()),
                environment,
                usual.hostname(),
                settings.memoryBytesMax(),
                HOME_BYTES,
                false,
                NetworkPlan.NONE);
    }

    private <T> Said<T> finish(BubblewrapProcess process, long timeoutMs, byte[] input, Output<T> output)
            throws InterruptedException {
        AtomicBoolean late = new AtomicBoolean();
        CompletableFuture<ProcessExit> exit = process.exit();
        var _ = exit.copy().orTimeout(timeoutMs, TimeUnit.MILLISECONDS).whenComplete((ended, failure) -> {
            if (failure instanceof TimeoutException) {
                late.set(true);
                process.kill();
            }
        });
        Future<String> complaint = PIPES.submit(() -> complaint(process.stderr().stream()));
        AtomicBoolean cutOff = new AtomicBoolean();
        Future<T> said = PIPES.submit(() -> read(process, output, cutOff));
        var _ = PIPES.submit(() -> write(process.stdin(), input));
        try {
            T found = said.get();
            ProcessExit ended = exit.get();
            if (late.get() || ended.oomKilled()) {
                throw late.get()
                        ? tooLate(timeoutMs)
                        : new BrigException(
                                ErrorCode.WORKSPACE_UNREADABLE,
                                "what an agent left took more memory than worker.tools.memoryBytesMax ("
                                        + settings.memoryBytesMax() + ")");
            }
            return new Said<>(ended.code(), cutOff.get(), found, complaint.get());
        } catch (ExecutionException e) {
            // After a timeout the output is incomplete, so report the timeout.
            throw late.get()
                    ? tooLate(timeoutMs)
                    : switch (e.getCause()) {
                        case BrigException refused -> refused;
                        case SandboxException lost -> SandboxWalls.refusal(lost);
                        default ->
                            new BrigException(
                                    ErrorCode.INTERNAL,
                                    "the output of a walled program cannot be read: " + e.getCause());
                    };
        } finally {
            process.kill();
            process.network().close();
        }
    }

    private static BrigException tooLate(long timeoutMs) {
        return new BrigException(
                ErrorCode.WORKSPACE_UNREADABLE,
                "what an agent left took longer to work on than " + timeoutMs
                        + " ms; the bound is worker.tools.timeoutMs");
    }

    private static <T> T read(BubblewrapProcess process, Output<T> output, AtomicBoolean cutOff) throws IOException {
        try (InputStream stdout = process.stdout().stream()) {
            T said = output.read(stdout);
            if (stdout.read() >= 0) {
                cutOff.set(true);
                process.kill();
            }
            return said;
        }
    }

    private static void write(@Nullable InputPipe pipe, byte[] input) {
        if (pipe == null) {
            return;
        }
        try (OutputStream stdin = pipe.stream()) {
            stdin.write(input);
        } catch (IOException ended) {
            LOG.debug("a walled program did not read its input: {}", ended.toString());
        }
    }

    /** Reads to the end, so that the writer never blocks, and keeps the beginning. */
    private static String complaint(InputStream stderr) throws IOException {
        try (stderr) {
            byte[] kept = stderr.readNBytes(COMPLAINT_BYTES_MAX);
            stderr.transferTo(OutputStream.nullOutputStream());
            return new String(kept, UTF_8).strip();
        }
    }
}
