package brig.workeragent.sandbox;

import brig.seccomp.SeccompFilter.Allowed;
import brig.workeragent.limits.LimitsUnavailableException;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.UserCounts;
import brig.workeragent.pipe.PipeLoops;
import brig.workeragent.sandbox.LauncherLink.Spare;
import brig.workeragent.sandbox.SandboxException.Code;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts workers behind walls.
 *
 * <p>Three kinds of threads. One permanent platform thread starts brig-launcher and reads its replies; it lives until
 * {@link #close}, since the kernel kills the child when the thread that started it ends. One thread processes requests
 * in order. Futures complete on virtual threads, so dependent stages may block.
 *
 * <p>If brig-launcher dies, everything in flight fails with LAUNCHER_DIED, and the next launch starts a new one.
 *
 * <p>Decision 0003.
 */
public final class Launcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Launcher.class);

    /** Numbers walls and their groups, across all launchers of a process. */
    private static final AtomicLong LAUNCHES = new AtomicLong();

    private static final int CLOSE_WAIT_MS = 5_000;

    /**
     * First processes kept ready in their groups. The kernel may take 5 to 25 ms to move a process into a group (cgroup
     * v1; measured), a third of the time to a worker's first instruction.
     */
    static final int SPARES = 2;

    private final LauncherConfig config;
    private final WallTemplate template;
    private final BubblewrapCommand bubblewrap;
    private final UserCounts counts;
    private final DeclaredPosture declaration;
    private final ScheduledThreadPoolExecutor requests;
    private final ExecutorService completions = Executors.newVirtualThreadPerTaskExecutor();
    private final PipeLoops pipes = new PipeLoops();
    private final Thread permanent;

    /** From the request thread to the permanent one; empty means: end. */
    private final LinkedBlockingQueue<Optional<CompletableFuture<LauncherLink>>> wanted = new LinkedBlockingQueue<>();

    // State owned by the thread of requests.
    private @Nullable LauncherLink link;

    private Launcher(LauncherConfig config, WallTemplate template, UserCounts counts) throws SandboxException {
        this.config = config;
        this.template = template;
        this.counts = counts;
        this.declaration = DeclaredPosture.ofHost(counts, new WorkspaceMounts(config.blank()));
        this.bubblewrap = new BubblewrapCommand(template, Path.of("/"), config);
        this.requests = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("brig-launcher-requests").factory());
        requests.setRemoveOnCancelPolicy(true);
        this.permanent = Thread.ofPlatform().daemon().name("brig-launcher").unstarted(this::serve);
    }

    /** Writes the files that walls share. No process is started before the first launch. */
    public static Launcher open(LauncherConfig config) throws SandboxException {
        var template = WallTemplate.install(config.runtimeFolder(), config.nativeFolder(), config.identity());
        var launcher = new Launcher(config, template, countsOfHost());
        launcher.permanent.start();
        return launcher;
    }

    private static UserCounts countsOfHost() throws SandboxException {
        try {
            return UserCounts.ofHost();
        } catch (LimitsUnavailableException unavailable) {
            throw new SandboxException(Code.LIMITS_UNAVAILABLE, String.valueOf(unavailable.getMessage()));
        }
    }

    /**
     * Starts a worker. Completes when its command runs; fails with a {@link SandboxException}. Never blocks.
     *
     * @throws IllegalStateException after {@link #close}
     */
    public CompletableFuture<BubblewrapProcess> launch(LaunchRequest request) {
        var launched = new CompletableFuture<BubblewrapProcess>();
        try {
            requests.execute(() -> doLaunch(request, launched));
        } catch (RejectedExecutionException closed) {
            throw new IllegalStateException("the launcher is closed", closed);
        }
        return launched.copy();
    }

    private void doLaunch(LaunchRequest request, CompletableFuture<BubblewrapProcess> launched) {
        try {
            LauncherLink current = link();
            WorkerIdentity other = request.identity();
            Spare kept = other == null ? current.takeSpare() : null;
            Spare taken = kept == null ? prepare(current, other == null ? config.identity() : other) : kept;
            WallProfile profile = request.profile();
            ResourceLimits limits = request.limits();
            SecondKernel kernel = profile.secondKernel();
            limit(taken, kernel == null ? limits : kernel.around(limits), current);
            boolean memoryGroup = taken.lease().limitsMemory();
            DeclaredPosture.Declared declared = declaration.of(profile, memoryGroup);
            var measurement = new PostureMeasurement(
                    profile.kind(), declared.names(), config.limits().level(), config.notHeld());
            var launch = new WallLaunch.Launch(taken.id(), request, taken.lease(), measurement);
            var attempt = new CompletableFuture<BubblewrapProcess>();
            var _ = attempt.whenComplete((process, failure) -> {
                if (failure == null) launched.complete(process);
                else if (kept != null && isOfSpare(failure)) launchAgain(request, launched);
                else launched.completeExceptionally(failure);
            });
            var flight = new WallLaunch(launch, current, completions, attempt);
            flight.startsUntil(
                    requests.schedule(flight::handleDeadline, request.startTimeoutMs(), TimeUnit.MILLISECONDS));
            List<String> payload = BubblewrapCommand.payload(request, memoryGroup, declared);
            Allowed allowed = allowedIn(profile);
            current.bound(flight.id(), counts.ofWorker(allowed != Allowed.USUAL));
            current.launch(
                    flight,
                    template.filter(allowed, memoryGroup),
                    bubblewrap.before(profile),
                    bubblewrap.options(profile),
                    payload);
            var _ = launched.thenRun(this::refill);
        } catch (LimitsUnavailableException unavailable) {
            fail(launched, new SandboxException(Code.LIMITS_UNAVAILABLE, String.valueOf(unavailable.getMessage())));
        } catch (SandboxException failure) {
            fail(launched, failure);
        }
    }

    private static Allowed allowedIn(WallProfile profile) {
        if (profile.hasSecondKernel()) return Allowed.SECOND_KERNEL;
        return profile.nested() ? Allowed.NAMESPACES : Allowed.USUAL;
    }

    /** Whether the spare had ended, of which the launcher tells only after a launch may have taken it. */
    private static boolean isOfSpare(Throwable failure) {
        return failure instanceof SandboxException expected && expected.code() == Code.SPARE_ENDED;
    }

    private void launchAgain(LaunchRequest request, CompletableFuture<BubblewrapProcess> launched) {
        try {
            requests.execute(() -> doLaunch(request, launched));
        } catch (RejectedExecutionException closed) {
            launched.completeExceptionally(new SandboxException(Code.LAUNCHER_DIED, "the launcher is being closed"));
        }
    }

    private Spare prepare(LauncherLink current, WorkerIdentity identity) throws LimitsUnavailableException {
        String id = "w" + LAUNCHES.incrementAndGet();
        var spare = new Spare(id, config.limits().acquire(id));
        current.prepare(spare, identity);
        return spare;
    }

    private static void limit(Spare spare, ResourceLimits limits, LauncherLink current)
            throws LimitsUnavailableException {
        try {
            spare.lease().limit(limits);
        } catch (LimitsUnavailableException unavailable) {
            current.discard(spare);
            throw unavailable;
        }
    }

    /** Prepares spares for later launches, outside of their critical path, now that this one runs. */
    private void refill() {
        try {
            requests.execute(() -> {
                LauncherLink current = link;
                try {
                    while (current != null && !current.isClosed() && current.sparesKept() < SPARES) {
                        current.keep(prepare(current, config.identity()));
                    }
                } catch (LimitsUnavailableException unavailable) {
                    LOG.warn("No wall can be prepared: {}", unavailable.getMessage());
                }
            });
        } catch (RejectedExecutionException closing) {
            LOG.debug("Everything is ending");
        }
    }

    private void fail(CompletableFuture<BubblewrapProcess> launched, SandboxException failure) {
        completions.execute(() -> launched.completeExceptionally(failure));
    }

    private LauncherLink link() throws SandboxException {
        LauncherLink current = link;
        if (current != null && !current.isClosed()) return current;
        var started = new CompletableFuture<LauncherLink>();
        wanted.add(Optional.of(started));
        try {
            current = started.get();
            link = current;
            return current;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof SandboxException expected) throw expected;
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw new SandboxException(Code.LAUNCHER_DIED, "the launcher is being closed");
        }
    }

    /** The permanent thread. */
    private void serve() {
        try {
            for (var next = wanted.take(); next.isPresent(); next = wanted.take()) {
                serve(next.get());
            }
        } catch (InterruptedException stray) {
            throw new IllegalStateException("nobody interrupts this thread", stray);
        }
    }

    private void serve(CompletableFuture<LauncherLink> started) {
        try {
            var fresh = LauncherLink.start(config, pipes, requests);
            started.complete(fresh);
            fresh.readReplies();
        } catch (SandboxException failure) {
            started.completeExceptionally(failure);
        }
    }

    /** The folder in which the workers' user can execute the build's programs. */
    public Path programs() {
        return template.programs();
    }

    /** The pid of the current brig-launcher; empty before the first launch. */
    Optional<Long> launcherPid() {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(link).map(LauncherLink::pid), requests)
                .join();
    }

    UserCounts counts() {
        return counts;
    }

    /** Number of spare first processes. */
    int sparesKept() {
        return CompletableFuture.supplyAsync(() -> link == null ? 0 : link.sparesKept(), requests)
                .join();
    }

    /** Ends all walls, then their limits. Requests in flight fail with LAUNCHER_DIED. */
    @Override
    public void close() {
        if (requests.isShutdown()) return;
        requests.execute(() -> {
            if (link != null) close(link);
            wanted.add(Optional.empty());
        });
        requests.shutdown();
        try {
            permanent.join();
            completions.shutdown();
            if (!completions.awaitTermination(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("A dependent stage of a worker's end still runs");
            }
            config.limits().close();
            pipes.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** On the request thread. A group can be removed when its process is gone, so spares end first. */
    private static void close(LauncherLink link) {
        try {
            link.discardSpares().get(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException left) {
            LOG.warn("Prepared walls did not end: {}", left.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        link.close();
    }
}
