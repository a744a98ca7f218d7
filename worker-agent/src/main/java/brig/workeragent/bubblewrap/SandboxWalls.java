package brig.workeragent.bubblewrap;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.Finding;
import brig.protocol.control.Posture;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.spawn.WallDemand;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.DiskWatch;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.LimitsUnavailableException;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.relay.ServerPorts;
import brig.workeragent.sandbox.GvisorProgram;
import brig.workeragent.sandbox.LaunchRequest;
import brig.workeragent.sandbox.Launcher;
import brig.workeragent.sandbox.LauncherConfig;
import brig.workeragent.sandbox.MachineImage;
import brig.workeragent.sandbox.NetworkPlan;
import brig.workeragent.sandbox.SandboxException;
import brig.workeragent.sandbox.WallDoctor;
import brig.workeragent.sandbox.WallProfile;
import brig.workeragent.sandbox.WorkerIdentity;
import brig.workeragent.sandbox.WorkspaceFolder;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.wall.EgressVariables;
import brig.workeragent.wall.MessageFile;
import brig.workeragent.wall.RemoteShell;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WallSettings;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import brig.workeragent.wall.WorkersUser;
import brig.workeragent.wall.WorkspaceGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The walls of {@code brig.workeragent.sandbox}. */
public final class SandboxWalls implements Walls {
    /** Stands for "no limit" in kernel interfaces that need a number. */
    private static final long NO_BYTES_LIMIT = 1L << 50;

    private static final int NO_COUNT_LIMIT = 4_000_000;
    private static final int NO_FILES_LIMIT = 1 << 20;
    /** The command of a wall that is built only to be measured. */
    private static final List<String> NOTHING = List.of("/bin/true");

    private final Launcher launcher;
    private final LauncherConfig config;
    private final LimitsBackend.Probe probe;
    private final WallSettings settings;
    private final WorkspaceGuard guard;
    private final EgressGate gate;
    private final DiskWatch disks;
    private final ServerPorts ports = new ServerPorts();
    /** Held by the doctor: its trial wall has a fixed name. */
    private final ReentrantLock examining = new ReentrantLock();

    private SandboxWalls(
            Launcher launcher,
            LauncherConfig config,
            LimitsBackend.Probe probe,
            WallSettings settings,
            EgressGate gate) {
        this.launcher = launcher;
        this.config = config;
        this.probe = probe;
        this.settings = settings;
        this.gate = gate;
        this.disks = DiskWatch.start(settings.diskReserveBytes());
        this.guard = new WorkspaceGuard(config.blank());
    }

    /**
     * Prepares what all walls share.
     *
     * @throws BrigException {@code SANDBOX_UNAVAILABLE}, {@code LIMITS_UNAVAILABLE}
     */
    public static SandboxWalls open(WallSettings settings, EgressGate gate) {
        try {
            String level = settings.limitsLevel();
            LimitsBackend.Probe probe = level.isEmpty() ? LimitsBackend.probe() : LimitsBackend.require(level);
            for (Path base : settings.workspaceBases()) {
                // Traversable for workers' own users, who cannot list other workspaces.
                Files.createDirectories(
                        base, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            }
            MessageFile.sweep(settings.runtimeFolder());
            LauncherConfig config = new LauncherConfig(
                    LauncherConfig.BWRAP,
                    settings.nativeFolder(),
                    settings.runtimeFolder(),
                    WorkerIdentity.ofHost(settings.uidForRoot()),
                    probe.backend(),
                    settings.runsc() == null ? GvisorProgram.installed() : GvisorProgram.at(settings.runsc()),
                    new MachineImage(machines(settings)));
            return new SandboxWalls(Launcher.open(config), config, probe, settings, gate);
        } catch (LimitsUnavailableException e) {
            throw new BrigException(
                    ErrorCode.LIMITS_UNAVAILABLE,
                    "worker.limitsLevel asks for " + settings.limitsLevel() + ": " + e.getMessage());
        } catch (SandboxException e) {
            throw refusal(e);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE,
                    "cannot make a folder of worker.workspaceBases or worker.scratchBases, name others in brig.json: "
                            + Reason.withFile(e));
        }
    }

    private static MachineImage.Settings machines(WallSettings settings) {
        WallSettings.Machines of = settings.machines();
        return new MachineImage.Settings(
                of.qemu() == null ? MachineImage.QEMU : of.qemu(),
                of.folder(),
                settings.nativeFolder().toAbsolutePath(),
                (int) (of.memoryBytes() >> 20),
                of.processors());
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

    @Override
    public void checkWorkspace(Path requested) {
        try {
            WorkspaceFolder.check(settings.workspaceBases(), requested);
        } catch (SandboxException e) {
            throw refusal(e);
        }
    }

    /** The tool wall for files that workers wrote. */
    public ToolWall tools() {
        return new SandboxTools(launcher, settings, config.identity());
    }

    /** The owner of files that workers write. */
    public WorkersUser user() {
        return new WorkersUser(config.identity().uid(), config.identity().switched());
    }

    /** brig-clone, at a path where the workers' user may execute it. */
    public Path cloneProgram() {
        return launcher.programs().resolve("brig-clone");
    }

    @Override
    public Wall build(Plan plan) {
        Confinement may = plan.confinement();
        WallSettings.Limits limits = may.limits().within(settings.limits());
        EgressGate serving = plan.gate() == null ? gate : plan.gate();
        Map<String, String> placeholders =
                serving.placeholders(may.egress().secrets().keySet());
        List<WallProfile.Mount> mounts = profileMounts(may.mounts());
        WallKind kind = kind(may.wall());
        if (kind == WallKind.VM && plan.remoteShell() != null) {
            throw new BrigException(
                    ErrorCode.WALL_UNAVAILABLE,
                    "a virtual machine has no shells of another host: take --wall bwrap or gvisor for this workspace");
        }
        WallProfile usual = WallProfile.of(plan.workspace());
        WallProfile profile = new WallProfile(
                usual.workspace(),
                may.workspaceReadOnly(),
                mounts,
                environment(usual, plan, placeholders),
                usual.hostname(),
                limits.tmpBytesMax() == 0 ? NO_BYTES_LIMIT : limits.tmpBytesMax(),
                limits.homeBytesMax() == 0 ? NO_BYTES_LIMIT : limits.homeBytesMax(),
                may.nested(),
                network(may, serving, plan.servers()),
                shells(plan.remoteShell()),
                image(plan.root()),
                kind);
        return new SandboxWall(
                plan, profile, limitsOf(limits), placeholders, serving, disks(plan, profile, limits.diskBytesMax()));
    }

    private static WallProfile.@Nullable Image image(Root root) {
        Root.Layer layer = root.layer();
        return root.image() == null
                ? null
                : new WallProfile.Image(
                        root.image(), layer == null ? null : new WallProfile.Layer(layer.upper(), layer.work()));
    }

    /** None where nothing is on a disk of this host. */
    private List<DiskWatch.Session> disks(Plan plan, WallProfile profile, long bytesMax) {
        Root.Layer layer = plan.root().layer();
        List<Path> written = Stream.of(
                        profile.workspaceReadOnly() || plan.remoteShell() != null
                                ? Stream.<Path>of()
                                : Stream.of(profile.workspace()),
                        profile.mounts().stream()
                                .filter(mount -> !mount.readOnly())
                                .map(WallProfile.Mount::source),
                        Stream.ofNullable(layer).map(Root.Layer::upper))
                .flatMap(some -> some)
                .toList();
        List<DiskWatch.Session> all = new ArrayList<>();
        if (!written.isEmpty()) {
            all.add(disks.session(written, bytesMax));
        }
        if (layer != null && layer.bytesLeft() > 0) {
            all.add(disks.session(
                    List.of(layer.upper()), layer.bytesLeft(), "its writable root reached " + layer.bound()));
        }
        return all;
    }

    /** Never a weaker one: a demand that this host does not meet is refused. */
    private WallKind kind(@Nullable WallDemand demand) {
        if (demand == null) {
            return WallKind.BWRAP;
        }
        SandboxException missing = null;
        for (WallKind kind : WallKind.values()) {
            if (!demand.isMetBy(kind)) {
                continue;
            }
            try {
                require(kind);
                return kind;
            } catch (SandboxException e) {
                missing = missing == null ? e : missing;
            }
        }
        throw refusal(Objects.requireNonNull(missing, "each demand is met by a kind"));
    }

    private void require(WallKind kind) throws SandboxException {
        switch (kind) {
            case BWRAP -> {}
            case GVISOR -> config.gvisor().require();
            case VM -> config.machines().require();
        }
    }

    private static WallProfile.@Nullable Shells shells(@Nullable RemoteShell remote) {
        return remote == null
                ? null
                : new WallProfile.Shells(remote.place(), Path.of(RemoteShell.LOCAL), remote.directory());
    }

    static List<WallProfile.Mount> profileMounts(List<Confinement.Mount> mounts) {
        return mounts.stream()
                .map(mount -> new WallProfile.Mount(mount.hostPath(), mount.target(), mount.readOnly()))
                .toList();
    }

    private static NetworkPlan network(Confinement may, EgressGate serving, List<Server> servers) {
        try {
            return may.egress().isOpen()
                    ? SandboxNetwork.plan(may.egress(), serving.authority(), servers)
                    : SandboxNetwork.plan(servers);
        } catch (IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_POLICY, "egress: " + e.getMessage());
        }
    }

    /**
     * The profile's variables override those for egress, but never a secret's placeholder. An image's own variables are
     * a part of its content, so no policy lists them.
     */
    private static Map<String, String> environment(WallProfile usual, Plan plan, Map<String, String> placeholders) {
        Confinement may = plan.confinement();
        Map<String, String> environment = new TreeMap<>(usual.environment());
        environment.putAll(plan.root().environment());
        if (may.egress().isOpen()) {
            environment.putAll(EgressVariables.of(may.egress(), placeholders));
        }
        environment.putAll(plan.environment());
        environment.putAll(placeholders);
        environment.keySet().retainAll(may.variables());
        plan.root().environment().forEach(environment::putIfAbsent);
        if (plan.root().layer() != null) {
            // No file can get another owner, which fakeroot tries first.
            environment.putIfAbsent("FAKEROOTDONTTRYCHOWN", "1");
        }
        RemoteShell remote = plan.remoteShell();
        if (remote != null) {
            environment.put(RemoteShell.HOSTS_VARIABLE, remote.hosts());
        }
        return environment;
    }

    /** A process to start. */
    private record Payload(
            List<String> command,
            boolean stdinPipe,
            @Nullable TerminalSize tty) {}

    /** Limits are taken for each process and released with it, so nothing is held in between. */
    private final class SandboxWall implements Wall {
        private final Plan plan;
        private final WallProfile profile;
        private final ResourceLimits limits;
        private final Map<String, String> placeholders;
        private final EgressGate serving;
        private final List<DiskWatch.Session> watched;
        /** The network of the current process; null between processes. */
        private volatile brig.workeragent.sandbox.@Nullable WalledNetwork current;

        SandboxWall(
                Plan plan,
                WallProfile profile,
                ResourceLimits limits,
                Map<String, String> placeholders,
                EgressGate serving,
                List<DiskWatch.Session> watched) {
            this.plan = plan;
            this.profile = profile;
            this.limits = limits;
            this.placeholders = placeholders;
            this.serving = serving;
            this.watched = watched;
        }

        @Override
        public WalledProcess start(
                List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
                throws InterruptedException {
            if (tty != null && profile.kind() == WallKind.GVISOR) {
                throw new BrigException(
                        ErrorCode.WALL_UNAVAILABLE,
                        "a wall with gVisor has no terminals for agents: take --wall bwrap, or go without --tty");
            }
            Payload payload = new Payload(command, stdinPipe, tty);
            watched.forEach(DiskWatch.Session::begin);
            brig.workeragent.sandbox.BubblewrapProcess process = launchWith(message, payload);
            current = process.network();
            ServerPorts.Joined servers = joined(process.network());
            if (!plan.confinement().egress().isOpen()) {
                return watched(process, closing(process.network(), servers));
            }
            SandboxNetwork network =
                    new SandboxNetwork(process.network(), plan.confinement().egress(), plan.servers());
            try {
                EgressGate.Handle taken = serving.take(new EgressGate.Registration(
                        plan.spawnId(), plan.agent(), plan.confinement().egress(), placeholders, network));
                return watched(process, () -> {
                    servers.close();
                    EgressGate.End end = taken.end();
                    var unused = end.released().thenRun(network::close);
                    return end.told();
                });
            } catch (BrigException e) {
                process.kill();
                process.stdout().close();
                process.stderr().close();
                servers.close();
                network.close();
                throw e;
            }
        }

        /** The last listeners of a wall are those of its servers. */
        private ServerPorts.Joined joined(brig.workeragent.sandbox.WalledNetwork network) {
            List<Integer> all = network.listeners();
            List<Integer> last = all.subList(all.size() - plan.servers().size(), all.size());
            network.release(last);
            return ports.join(plan.servers(), last);
        }

        private WalledProcess watched(
                brig.workeragent.sandbox.BubblewrapProcess process, Supplier<CompletableFuture<Void>> atEnd) {
            watched.forEach(disk -> disk.handleRunning(process::kill));
            return new SandboxProcess(
                    process,
                    () -> {
                        watched.forEach(DiskWatch.Session::close);
                        return atEnd.get();
                    },
                    () -> watched.stream()
                            .map(DiskWatch.Session::full)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse(null));
        }

        /** A mounted file stays visible after its removal, so nothing is left on the host. */
        private brig.workeragent.sandbox.BubblewrapProcess launchWith(@Nullable String message, Payload payload)
                throws InterruptedException {
            if (message == null) {
                return launch(guarded(), payload);
            }
            try (MessageFile file = MessageFile.write(settings.runtimeFolder(), message, config.identity())) {
                return launch(guarded().with(List.of(file.mount())), payload);
            } catch (IOException e) {
                throw Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "a message cannot be put into the wall", e);
            }
        }

        private brig.workeragent.sandbox.BubblewrapProcess launch(WallProfile of, Payload payload)
                throws InterruptedException {
            try {
                return await(
                        launcher,
                        new LaunchRequest(
                                plan.spawnId(),
                                of,
                                limits,
                                payload.command(),
                                payload.stdinPipe(),
                                settings.startMs(),
                                null,
                                payload.tty()));
            } catch (IllegalArgumentException e) {
                throw new BrigException(ErrorCode.INVALID_FIELD, "cannot be a command line: " + e.getMessage());
            }
        }

        private WallProfile guarded() {
            return profile.with(guard.mounts(
                    profile.workspace(),
                    profile.workspaceReadOnly(),
                    plan.confinement().privateFiles()));
        }

        @Override
        public Posture measure() throws InterruptedException {
            brig.workeragent.sandbox.BubblewrapProcess process = launch(guarded(), new Payload(NOTHING, false, null));
            process.stdout().close();
            process.stderr().close();
            new SandboxProcess(process, closing(process.network(), () -> {}))
                    .end()
                    .join();
            return process.posture();
        }

        private static Supplier<CompletableFuture<Void>> closing(
                brig.workeragent.sandbox.WalledNetwork network, ServerPorts.Joined servers) {
            return () -> {
                servers.close();
                network.close();
                return CompletableFuture.completedFuture(null);
            };
        }

        @Override
        public CompletableFuture<Integer> dial(int port) {
            var network = current;
            if (network == null) {
                return CompletableFuture.failedFuture(
                        new BrigException(ErrorCode.NOT_FOUND, "no process of this worker runs"));
            }
            return network.dial(port).exceptionallyCompose(failure -> {
                // A copied future wraps the original failure.
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                return CompletableFuture.failedFuture(
                        cause instanceof SandboxException refused ? refusal(refused) : failure);
            });
        }

        @Override
        public CompletableFuture<Boolean> listens(int port) {
            var network = current;
            return network == null ? CompletableFuture.completedFuture(false) : network.listens(port);
        }

        @Override
        public void close() {}
    }

    /** The process, once its command runs. @throws BrigException as {@link Wall#start} */
    static brig.workeragent.sandbox.BubblewrapProcess await(Launcher launcher, LaunchRequest request)
            throws InterruptedException {
        try {
            return launcher.launch(request).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SandboxException refused ? refusal(refused) : new IllegalStateException(e);
        } catch (IllegalStateException e) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    static BrigException refusal(SandboxException e) {
        ErrorCode code = switch (e.code()) {
            case COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE -> ErrorCode.COMMAND_NOT_FOUND;
            case SANDBOX_UNAVAILABLE, LAUNCHER_DIED, KILLED_AT_START, SPARE_ENDED -> ErrorCode.SANDBOX_UNAVAILABLE;
            case WALL_UNAVAILABLE -> ErrorCode.WALL_UNAVAILABLE;
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
            return new WallDoctor(launcher, config, probe).examine(settings.runtimeFolder());
        } finally {
            examining.unlock();
        }
    }

    @Override
    public void close() {
        launcher.close();
        disks.close();
        ports.close();
    }
}
