package brig.cli;

import brig.protocol.api.GatewayView;
import brig.protocol.api.HostState;
import brig.protocol.api.SpawnerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code brig status}. */
@Command(
        name = "status",
        description = "Show the state of the gateway: version, age, limits and their use, and the queue.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exits with 0 if a gateway answers, and with 125 if none does.",
            "",
            "Examples:",
            "  brig status",
            "  brig status --json | jq .workers",
            "  brig top                              show the same with all sessions, live"
        })
final class StatusCommand implements Callable<Integer> {
    /** The remedy; the first line shows the state of the pool. */
    private static final Map<String, String> NOT_READY = Map.of(
            "record_lost",
            ": spawns are refused, for the state folder or brig.db takes no writes; the gateway's log says why",
            "worker_agent",
            ": spawns are refused until the worker-agent answers; see its log");

    /** Hosts of one state that are named. */
    private static final int NAMED_MAX = 3;

    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.Gateway(),
                GatewayView.class,
                status -> lines(status).forEach(main.terminal()::println));
        return 0;
    }

    /** Lines for people; {@code brig top} begins with the same. */
    static List<String> lines(GatewayView status) {
        GatewayView.Queue queue = status.queue();
        String spawns = status.spawns().entrySet().stream()
                .map(state -> state.getValue() + " " + state.getKey())
                .collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>(List.of(
                "gateway      brig " + status.version() + ", up " + TreeDrawing.duration(status.uptimeMs()) + ", "
                        + status.pool().wireName(),
                "workers      " + status.workers() + " of " + status.workersMax(),
                "queue        " + queue.waiting() + " of " + queue.max()
                        + (queue.waiting() == 0 ? "" : ", a place in about " + queue.estimateSeconds() + " s"),
                "connections  " + status.connections() + " of " + status.connectionsMax(),
                "spawns       " + (spawns.isEmpty() ? "none yet" : spawns)));
        if (!status.hosts().isEmpty()) {
            lines.add("hosts        " + hosts(status.hosts()));
        }
        String notReady = status.notReady();
        if (notReady != null && !notReady.isEmpty()) {
            lines.add(1, "not ready    " + notReady + NOT_READY.getOrDefault(notReady, ""));
        }
        return lines;
    }

    /** The number in each state, and why. */
    private static String hosts(List<GatewayView.Host> hosts) {
        Map<HostState, List<GatewayView.Host>> states = hosts.stream()
                .collect(Collectors.groupingBy(GatewayView.Host::state, TreeMap::new, Collectors.toList()));
        List<String> parts = new ArrayList<>();
        if (states.containsKey(HostState.UP)) {
            parts.add(states.remove(HostState.UP).size() + " up");
        }
        states.forEach((state, these) -> {
            String named = these.stream()
                    .limit(NAMED_MAX)
                    .map(host -> host.name() + (host.reason() == null ? "" : ": " + host.reason()))
                    .collect(Collectors.joining("; "));
            String more = these.size() > NAMED_MAX ? "; …" : "";
            parts.add(these.size() + " " + state.name().toLowerCase(Locale.ROOT) + " (" + named + more + ")");
        });
        return String.join(", ", parts);
    }
}
