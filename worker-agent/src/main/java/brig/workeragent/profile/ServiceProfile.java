package brig.workeragent.profile;

import brig.protocol.record.Default;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.protocol.spawn.RootName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A server that a session has beside its agent, such as a database.
 *
 * <p>Decision 0211.
 *
 * @param command the program and its arguments
 * @param root of its wall, as in {@link RootName}; empty for that of the agent
 * @param env variables beside those of every wall
 * @param ports which the agent finds on 127.0.0.1
 * @param health a command that succeeds when it can be used; empty: when its ports accept connections
 * @param startMs how long that may take
 */
@Settings
public record ServiceProfile(
        List<String> command,
        @Default String root,
        @Default Map<String, String> env,
        List<Integer> ports,
        @Default List<String> health,
        @Default("30000") @Range(min = 100, max = 600_000) int startMs) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,15}");
    private static final int SERVICES_MAX = 8;
    private static final int PORTS_MAX = 16;
    private static final int PORT_MIN = 1024;
    private static final int PORT_MAX = 65_535;

    public ServiceProfile {
        if (command.isEmpty() || command.getFirst().isEmpty()) {
            throw new IllegalArgumentException("command: must name a program");
        }
        if (!root.isEmpty() && !RootName.isRoot(root)) {
            throw new IllegalArgumentException("root: must be " + RootName.FORMS);
        }
        ProfileValues.requireVariables("env", env);
        command.forEach(argument -> ProfileValues.requireNoNul("command", argument));
        health.forEach(argument -> ProfileValues.requireNoNul("health", argument));
        if (ports.isEmpty() || !ports.stream().allMatch(port -> port >= PORT_MIN && port <= PORT_MAX)) {
            throw new IllegalArgumentException("ports: must be some from " + PORT_MIN + " to " + PORT_MAX);
        }
    }

    /** @throws IllegalArgumentException naming the key, if a profile cannot have these together */
    static void require(Map<String, ServiceProfile> services, Set<Integer> taken) {
        Set<Integer> all = new HashSet<>(taken);
        services.forEach((name, service) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("services: '" + name + "' must match " + NAME);
            }
            for (int port : service.ports()) {
                if (!all.add(port)) {
                    throw new IllegalArgumentException("services." + name + ".ports: " + port + " is taken already");
                }
            }
        });
        if (services.size() > SERVICES_MAX || all.size() - taken.size() > PORTS_MAX) {
            throw new IllegalArgumentException(
                    "services: must be at most " + SERVICES_MAX + ", with " + PORTS_MAX + " ports");
        }
    }
}
