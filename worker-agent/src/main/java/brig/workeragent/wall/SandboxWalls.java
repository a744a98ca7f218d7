package brig.workeragent.wall;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.LimitsUnavailableException;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.posture.Posture;
import brig.workeragent.sandbox.LaunchRequest;
import brig.workeragent.sandbox.Launcher;
import brig.workeragent.sandbox.LauncherConfig;
import brig.workeragent.sandbox.NetworkPlan;
import brig.workeragent.sandbox.SandboxException;
import brig.workeragent.sandbox.WallDoctor;
import brig.workeragent.sandbox.WallProfile;
import brig.workeragent.sandbox.WorkerIdentity;
import brig.workeragent.sandbox.WorkspaceFolder;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The walls of {@code brig.workeragent.sandbox}. */
public final class SandboxWalls implements Walls {
    /** What stands for "no limit" where the kernel wants a number. */
    private static final long NO_BYTES_LIMIT = 1L << 50;
    private static final int NO_COUNT_LIMIT = 4_000_000;
    private static final int NO_FILES_LIMIT = 1 << 20;
    /** What runs behind a wall that is built only to be measured. */
    private static final List<String> NOTHING = List.of("/bin/true");
    private static final Logger LOG = LoggerFactory.getLogger(SandboxWalls.class);

    private final Launcher launcher;
    private final LauncherConfig config;
    private final LimitsBackend.Probe probe;
    private final WallSettings settings;
    private final WorkspaceGuard guard;
    /** Held by the doctor: its trial wall has a name of its own, which two cannot have at once. */
    private final ReentrantLock examining = new ReentrantLock();

    private SandboxWalls(
            Launcher launcher, LauncherConfig config, LimitsBackend.Probe probe, WallSettings settings) {
        this.launcher = launcher;
        this.config = config;
        this.probe = probe;
        this.settings = settings;
        this.guard = new WorkspaceGuard(config.blank());
    }

    /** Prepares what all walls share. @throws BrigException {@code SANDBOX_UNAVAILABLE}, {@code LIMITS_UNAVAILABLE} */
    public static SandboxWalls open(WallSettings settings) {
        try {
            String level = settings.limitsLevel();
            LimitsBackend.Probe probe = level.isEmpty() ? LimitsBackend.probe() : LimitsBackend.require(level);
            for (Path base : settings.workspaceBases()) {
                // The worker's own user passes through, and sees no other workspace's name.
                Files.createDirectories(base,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            }
            LauncherConfig config = new LauncherConfig(LauncherConfig.BWRAP, settings.nativeFolder(),
                    settings.runtimeFolder(), WorkerIdentity.ofHost(settings.uidForRoot()), probe.backend());
            return new SandboxWalls(Launcher.open(config), config, probe, settings);
        } catch (LimitsUnavailableException e) {
            throw new BrigException(ErrorCode.LIMITS_UNAVAILABLE,
                    "worker.limitsLevel asks for " + settings.limitsLevel() + ": " + e.getMessage());
        } catch (SandboxException e) {
            throw refusal(e);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot make a base of workspaces: " + e);
        }
    }

    private static ResourceLimits limitsOf(WallSettings.Limits of) {
        int allCpus = 100 * Runtime.getRuntime().availableProcessors();
        return new ResourceLimits(
                of.memoryBytesMax() == 0 ? NO_BYTES_LIMIT : of.memoryBytesMax(),
                of.pidsMax() == 0 ? NO_COUNT_LIMIT : of.pidsMax(),
                of.cpuPercentMax() == 0 ? allCpus : of.cpuPercentMax(),
                of.fileBytesMax() == 0 ? NO_BYTES_LIMIT : of.fileBytesMax(),
                of.openFilesMax() == 0 ? NO_FILES_LIMIT : of.openFilesMax());
    }

    @Override
    public Path workspace(Path requested) {
        try {
            return WorkspaceFolder.prepare(settings.workspaceBases(), requested, config.identity());
        } catch (SandboxException e) {
            throw refusal(e);
        }
    }

    /**
     * Those that belong to the user of these walls.
     *
     * @param keptMs how long one with changes stays; 0 is for ever
     */
    public MadeWorkspaces madeWorkspaces(long keptMs) {
        return new MadeWorkspaces(settings.runtimeFolder(), launcher.programs().resolve("brig-clone"), settings.workspaceBases(),
                new MadeWorkspaces.User(config.identity().uid(), config.identity().switched()), keptMs,
                System::currentTimeMillis);
    }

    @Override
    public Wall build(Plan plan) {
        Confinement may = plan.confinement();
        WallSettings.Limits limits = may.limits().within(settings.limits());
        WallProfile usual = WallProfile.of(plan.workspace()).withEnvironment(plan.environment());
        Map<String, String> environment = new TreeMap<>(usual.environment());
        environment.keySet().retainAll(may.variables());
        List<WallProfile.Mount> mounts = may.mounts().stream()
                .map(mount -> new WallProfile.Mount(mount.hostPath(), mount.target(), mount.readOnly())).toList();
        WallProfile profile = new WallProfile(usual.workspace(), may.workspaceReadOnly(), mounts, environment,
                usual.hostname(), limits.tmpBytesMax() == 0 ? NO_BYTES_LIMIT : limits.tmpBytesMax(),
                limits.homeBytesMax() == 0 ? NO_BYTES_LIMIT : limits.homeBytesMax(), may.nested(), NetworkPlan.NONE);
        return new SandboxWall(plan.spawnId(), profile, limitsOf(limits), may.privateFiles());
    }

    /** Limits are taken for each process and given back with it, so nothing is held between two. */
    private final class SandboxWall implements Wall {
        private final String spawnId;
        private final WallProfile profile;
        private final ResourceLimits limits;
        private final List<String> privateFiles;

        SandboxWall(String spawnId, WallProfile profile, ResourceLimits limits, List<String> privateFiles) {
            this.spawnId = spawnId;
            this.profile = profile;
            this.limits = limits;
            this.privateFiles = privateFiles;
        }

        @Override
        public WalledProcess start(List<String> command, boolean stdinPipe) throws InterruptedException {
            try {
                LaunchRequest request =
                        new LaunchRequest(spawnId, guarded(), limits, command, stdinPipe, settings.startMs());
                return new SandboxProcess(launcher.launch(request).get());
            } catch (ExecutionException e) {
                throw e.getCause() instanceof SandboxException refused
                        ? refusal(refused)
                        : new IllegalStateException(e);
            } catch (IllegalArgumentException e) {
                throw new BrigException(ErrorCode.INVALID_FIELD, "cannot be a command line: " + e.getMessage());
            } catch (IllegalStateException e) {
                throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
            }
        }

        private WallProfile guarded() {
            return profile.with(guard.mounts(profile.workspace(), profile.workspaceReadOnly(), privateFiles));
        }

        @Override
        public Posture measure() throws InterruptedException {
            WalledProcess process = start(NOTHING, false);
            try {
                process.stdout().close();
                process.stderr().close();
            } catch (IOException e) {
                LOG.debug("closing the output of a process that says nothing: {}", e.toString());
            }
            process.end().join();
            return process.posture();
        }

        @Override
        public void close() {}
    }

    private static BrigException refusal(SandboxException e) {
        ErrorCode code = switch (e.code()) {
            case COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE -> ErrorCode.COMMAND_NOT_FOUND;
            case SANDBOX_UNAVAILABLE, LAUNCHER_DIED, KILLED_AT_START -> ErrorCode.SANDBOX_UNAVAILABLE;
            case POSTURE_NOT_ENFORCED -> ErrorCode.POSTURE_NOT_ENFORCED;
            case LIMITS_UNAVAILABLE -> ErrorCode.LIMITS_UNAVAILABLE;
            case PORT_UNAVAILABLE -> ErrorCode.NOT_FOUND;
            case START_TIMEOUT -> ErrorCode.START_TIMEOUT;
            case TOO_MANY_WALLS -> ErrorCode.MAX_WORKERS;
            case REQUEST_TOO_LARGE -> ErrorCode.BODY_TOO_LARGE;
            case WORKSPACE_OUTSIDE_BASE, WORKSPACE_UNREACHABLE -> ErrorCode.WORKSPACE_OUTSIDE_BASE;
        };
        return new BrigException(code, String.valueOf(e.getMessage()));
    }

    @Override
    public String limitsLevel() {
        return probe.backend().level();
    }

    @Override
    public List<Finding> findings() {
        examining.lock();
        try {
            return new WallDoctor(launcher, config, probe).examine(settings.runtimeFolder()).stream()
                    .map(found -> new Finding(found.name(), found.status().name(), found.detail(), found.mend()))
                    .toList();
        } finally {
            examining.unlock();
        }
    }

    @Override
    public void close() {
        launcher.close();
    }
}
