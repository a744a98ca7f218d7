package brig.workeragent.service;

import brig.egress.policy.EgressPolicy;
import brig.protocol.control.Posture;
import brig.protocol.spawn.RootName;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.image.Images;
import brig.workeragent.profile.ServiceProfile;
import brig.workeragent.pump.Outbox;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one session. They are started before its first process, in the order of their names, and end with it.
 * Each has a wall of its own: the agent's limits, no network, the workspace to read.
 *
 * <p>Decision 0211.
 */
public final class SessionServices {
    private final List<Service> all = new ArrayList<>();
    private boolean areStarted;

    /** Whatever they need of the worker-agent. */
    public record Host(Walls walls, Images images, Outbox outbox, LongSupplier clock) {}

    /**
     * Takes what they need; starts nothing.
     *
     * @param agent the plan of the agent's wall
     * @throws brig.protocol.BrigException {@code UNKNOWN_IMAGE}, and as {@link Walls#build}
     */
    public static Wall around(Host host, Walls.Plan agent, Map<String, ServiceProfile> profiles) {
        SessionServices services = new SessionServices();
        try {
            new TreeMap<>(profiles)
                    .forEach((name, profile) -> services.all.add(services.made(host, agent, name, profile)));
            Wall wall = host.walls()
                    .build(agent.with(services.all.stream()
                            .flatMap(service -> servers(service.profile(), service.wall()).stream())
                            .toList()));
            return services.all.isEmpty() ? wall : services.before(wall);
        } catch (RuntimeException e) {
            services.close();
            throw e;
        }
    }

    private Service made(Host host, Walls.Plan agent, String name, ServiceProfile profile) {
        Images.Lease root =
                host.images().lend(profile.root().isEmpty() ? null : RootName.parse("root", profile.root()));
        Walls.Plan plan = plan(agent, "-" + name, profile, profile.root().isEmpty() ? null : root);
        Wall wall = host.walls().build(plan);
        Wall health = host.walls()
                .build(plan(
                                agent,
                                "-" + name + "-health",
                                profile,
                                profile.root().isEmpty() ? null : root)
                        .with(servers(profile, wall)));
        return new Service(name, profile, wall, health, root, host.outbox(), host.clock());
    }

    private static Walls.Plan plan(
            Walls.Plan agent, String suffix, ServiceProfile profile, Images.@Nullable Lease root) {
        Confinement of = agent.confinement();
        Set<String> variables = new TreeSet<>(of.variables());
        variables.addAll(profile.env().keySet());
        return new Walls.Plan(
                agent.spawnId() + suffix,
                agent.agent(),
                agent.workspace(),
                profile.env(),
                new Confinement(
                        true,
                        List.of(),
                        variables,
                        of.privateFiles(),
                        of.limits(),
                        false,
                        EgressPolicy.NONE,
                        of.wall()),
                null,
                null,
                root == null ? agent.root() : root.root(),
                List.of());
    }

    private static List<Walls.Server> servers(ServiceProfile profile, Wall wall) {
        return profile.ports().stream()
                .map(port -> new Walls.Server(port, wall))
                .toList();
    }

    /** Called for one process at a time. */
    private void start() throws InterruptedException {
        if (!areStarted) {
            areStarted = true;
            for (Service service : all) {
                service.start();
            }
        }
    }

    private void close() {
        all.forEach(Service::close);
    }

    private Wall before(Wall agent) {
        return new Wall() {
            @Override
            public WalledProcess start(
                    List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
                    throws InterruptedException {
                SessionServices.this.start();
                return agent.start(command, message, stdinPipe, tty);
            }

            @Override
            public Posture measure() throws InterruptedException {
                SessionServices.this.start();
                return agent.measure();
            }

            @Override
            public CompletableFuture<Integer> dial(int port) {
                return agent.dial(port);
            }

            @Override
            public CompletableFuture<Boolean> listens(int port) {
                return agent.listens(port);
            }

            @Override
            public void close() {
                SessionServices.this.close();
                agent.close();
            }
        };
    }
}
