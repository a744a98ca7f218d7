package brig.workeragent.service;

import brig.egress.policy.EgressPolicy;
import brig.protocol.spawn.RootName;
import brig.workeragent.image.Images;
import brig.workeragent.profile.ServiceProfile;
import brig.workeragent.pump.Outbox;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.Walls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one session. They are started before its first process, in the order of their names, and end with it.
 * Each has a wall of its own: the agent's limits, no network, the workspace to read.
 *
 * <p>Decision 0211.
 */
public final class SessionServices implements PreparedWall.Before {
    private static final long LINE_MS_MAX = TimeUnit.MINUTES.toMillis(30);

    private final List<Service> all = new ArrayList<>();

    /** Whatever they need of the worker-agent. */
    public record Host(Walls walls, Images images, Outbox outbox, LongSupplier clock) {}

    /**
     * The agent's wall, with what is there before its first process. Takes what that needs; starts nothing.
     *
     * @param agent the plan of the agent's wall
     * @param prepare lines that are run there when the services are up
     * @param lineMsMax how long each of them may take, 0 for half an hour
     * @throws brig.protocol.BrigException {@code UNKNOWN_IMAGE}, and as {@link Walls#build}
     */
    public static Wall around(
            Host host, Walls.Plan agent, Map<String, ServiceProfile> profiles, List<String> prepare, long lineMsMax) {
        SessionServices services = new SessionServices();
        try {
            new TreeMap<>(profiles)
                    .forEach((name, profile) -> services.all.add(services.made(host, agent, name, profile)));
            Wall wall = host.walls()
                    .build(agent.with(services.all.stream()
                            .flatMap(service -> servers(service.profile(), service.wall()).stream())
                            .toList()));
            Wall served = services.all.isEmpty() ? wall : new PreparedWall(services, wall);
            return prepare.isEmpty()
                    ? served
                    : new PreparedWall(
                            new Preparation(
                                    served,
                                    prepare,
                                    lineMsMax == 0 ? LINE_MS_MAX : lineMsMax,
                                    host.outbox(),
                                    host.clock()),
                            served);
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
                root == null ? agent.root().readOnly() : root.root(),
                List.of());
    }

    private static List<Walls.Server> servers(ServiceProfile profile, Wall wall) {
        return profile.ports().stream()
                .map(port -> new Walls.Server(port, wall))
                .toList();
    }

    @Override
    public boolean isPartOfWall() {
        return true;
    }

    @Override
    public void start() throws InterruptedException {
        for (Service service : all) {
            service.start();
        }
    }

    @Override
    public void abandon() {
        all.forEach(Service::abandon);
    }

    @Override
    public void close() {
        all.forEach(Service::close);
    }
}
