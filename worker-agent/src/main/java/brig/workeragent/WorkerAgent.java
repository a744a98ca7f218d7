package brig.workeragent;

import brig.protocol.BrigException;
import brig.protocol.log.LogOutput;
import brig.workeragent.bubblewrap.SandboxWalls;
import brig.workeragent.budget.Budgets;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.gate.LinkGate;
import brig.workeragent.grant.Grants;
import brig.workeragent.handover.HandedOver;
import brig.workeragent.handover.Handovers;
import brig.workeragent.image.Images;
import brig.workeragent.link.ControlOperations;
import brig.workeragent.link.LinkServer;
import brig.workeragent.link.RuntimeFolder;
import brig.workeragent.profile.AgentCatalog;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.Programs;
import brig.workeragent.pump.SpillFolder;
import brig.workeragent.relay.RelayedNetworks;
import brig.workeragent.tunnel.Tunnels;
import brig.workeragent.wall.Walls;
import brig.workeragent.worker.RouteTrial;
import brig.workeragent.worker.StopTimes;
import brig.workeragent.worker.SystemTimers;
import brig.workeragent.worker.Timers;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker-agent of this host: constructs its parts, and closes them in reverse order. */
public final class WorkerAgent implements AutoCloseable {
    private static final String VERSION = "0.1.0";
    private static final int EXIT_REFUSED = 2;
    private static final Duration SWEEP_END_MAX = Duration.ofSeconds(5);

    private final RuntimeFolder folder;
    private final EgressProcess egress;
    private final RelayedNetworks relayed;
    private final SpillFolder spills;
    private final Walls walls;
    private final Workers workers;
    private final LinkServer link;
    private final Thread sweep;

    private WorkerAgent(
            Installation installation, Timers timers, EgressProcess egress, SandboxWalls walls, RuntimeFolder folder)
            throws IOException {
        WorkerAgentConfig config = installation.config();
        AgentProfiles profiles = new AgentProfiles(installation.agentFolders(), installation.agentNames());
        Programs programs = installation.programs();
        Policies policies = installation.policies();
        MadeWorkspaces made = new MadeWorkspaces(
                new MadeWorkspaces.Tools(
                        walls.tools(),
                        walls.user(),
                        walls.cloneProgram(),
                        installation.stateDir().resolve("repositories")),
                installation.workspaceBases(),
                installation::repositories,
                new MadeWorkspaces.Bounds(
                        config.keptWorkspaceMs(),
                        config.checkpoints().max(),
                        config.checkpoints().bytesMax()),
                System::currentTimeMillis);
        Images images = installation.images(walls.tools(), walls.user());
        Budgets budgets =
                new Budgets(installation.egressSetup().budgetFolder(), config.budget(), System::currentTimeMillis);
        Grants grants = new Grants(new Grants.Services(
                profiles, policies, egress, budgets, installation.stateDir().resolve("egress/placeholder.key")));
        this.relayed = new RelayedNetworks(installation.runtimeDir().resolve("relay"));
        this.folder = folder;
        this.egress = egress;
        this.spills = SpillFolder.open(installation.stateDir().resolve("spill"), config.spillBytesMax());
        this.walls = walls;
        this.workers = new Workers(
                new Workers.Services(
                        profiles,
                        programs,
                        policies,
                        new HandedOver(timers::schedule),
                        walls,
                        made,
                        images,
                        timers,
                        egress,
                        budgets,
                        relayed,
                        spills,
                        new Tunnels(installation.runtimeDir().resolve("tunnel"), walls.user()),
                        Executors.newVirtualThreadPerTaskExecutor()),
                new Workers.Bounds(
                        installation.workspaceBases().get(0),
                        installation.scratchBases(),
                        installation.stateDir().resolve("cassettes"),
                        installation.stateDir().resolve("owners"),
                        config.unackedBytesMax(),
                        new StopTimes(config.idleMs(), config.turnMs(), config.stdinGraceMs(), config.termGraceMs()),
                        config.startsPerSecondMax(),
                        config.workersMax()));
        // Sweeping agents' leftovers may take long; only close() waits for it.
        this.sweep = Thread.startVirtualThread(() -> {
            made.sweep();
            workers.sweep();
            images.sweep();
        });
        this.link = LinkServer.open(
                folder,
                timers,
                workers,
                made,
                config.portConnectionsMax(),
                new ControlOperations(
                        workers,
                        new AgentCatalog(profiles, programs, policies, installation.missingFolders()),
                        made,
                        images,
                        new RouteTrial(
                                walls,
                                profiles,
                                policies,
                                installation.workspaceBases().get(0)),
                        walls,
                        new ControlOperations.Networks(egress, grants, relayed),
                        new Handovers(new Handovers.Services(profiles, policies, egress::feed)),
                        VERSION,
                        () -> System.exit(0)));
    }

    /**
     * Starts everything; the link socket listens when this returns.
     *
     * @throws BrigException naming the obstacle
     */
    static WorkerAgent open(Installation installation, Timers timers) throws IOException {
        RuntimeFolder folder = RuntimeFolder.open(installation.runtimeDir(), installation.gatewayUser());
        EgressProcess egress = new EgressProcess(installation.egressSetup(), Clock.systemUTC());
        try {
            SandboxWalls walls = SandboxWalls.open(installation.wallSettings(), egress);
            try {
                return new WorkerAgent(installation, timers, egress, walls, folder);
            } catch (IOException | RuntimeException e) {
                walls.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            egress.close();
            folder.close();
            throw e;
        }
    }

    Path linkSocket() {
        return link.path();
    }

    /** Whether a gateway is connected or a worker is alive. */
    boolean needed() {
        return link.connected() || workers.anyAlive();
    }

    /** Ends all workers by the stop ladder, and lets a connected gateway read their last frames. */
    @Override
    public void close() {
        try {
            workers.shutdown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        link.close();
        awaitSweep();
        walls.close();
        relayed.close();
        egress.close();
        try {
            spills.close();
        } catch (IOException e) {
            LoggerFactory.getLogger(WorkerAgent.class).warn("unread frames stay on disk: {}", e.toString());
        }
        try {
            folder.close();
        } catch (IOException e) {
            LoggerFactory.getLogger(WorkerAgent.class).warn("the folder stays locked: {}", e.toString());
        }
    }

    /** A sweep needs the walls, and the next worker-agent sweeps the same folders. */
    private void awaitSweep() {
        try {
            if (!sweep.join(SWEEP_END_MAX)) {
                LoggerFactory.getLogger(WorkerAgent.class).warn("what a predecessor left is still being removed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the worker-agent until a signal or a request ends it. Exit code 2: it cannot start, and reports why. */
    public static void main(String... arguments) throws InterruptedException {
        // Before the first logger: standard output is reserved for the line "ready".
        if (System.getProperty("logback.configurationFile") == null) {
            System.setProperty("logback.configurationFile", "brig/workeragent/logback.xml");
        }
        try {
            run(CommandLine.parse(arguments), System.out);
        } catch (FileSystemException e) {
            LoggerFactory.getLogger(WorkerAgent.class)
                    .error(
                            "cannot write {}: {}. Name folders that can be written with stateDir, "
                                    + "runtimeDir and worker.workspaceBases in a file for --config, or with XDG_STATE_HOME, XDG_RUNTIME_DIR and "
                                    + "XDG_DATA_HOME",
                            e.getFile(),
                            e.getReason() == null ? "this user may not" : e.getReason());
            System.exit(EXIT_REFUSED);
        } catch (BrigException | IOException e) {
            LoggerFactory.getLogger(WorkerAgent.class).error("{}", e.getMessage());
            System.exit(EXIT_REFUSED);
        }
    }

    private static void run(CommandLine options, PrintStream out) throws IOException, InterruptedException {
        Logger log = LoggerFactory.getLogger(WorkerAgent.class);
        Timers timers = new SystemTimers();
        Installation installation = Installation.read(options, System.getenv(), Installation.isRoot());
        WorkerAgent agent = open(installation, timers);
        GateOptions gated = options.gate();
        @Nullable LinkGate gate = gated == null ? null : gated.open(installation.joiner(agent.linkSocket()));
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            log.info("stopping");
                            if (gate != null) {
                                gate.close();
                            }
                            agent.close();
                            log.info("stopped");
                            LogOutput.flush();
                        },
                        "brig-stop"));
        if (options.embedded()) {
            new IdleExit(timers, options.idleExitMs(), agent::needed, () -> System.exit(0)).start();
        }
        log.info("listening on {}", agent.linkSocket());
        out.println("ready " + agent.linkSocket());
        out.flush();
        new CountDownLatch(1).await();
    }
}
