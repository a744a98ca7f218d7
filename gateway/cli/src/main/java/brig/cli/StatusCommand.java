package brig.cli;

import brig.protocol.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    /** What a person does about it; what the pool is stands in the first line. */
    private static final Map<String, String> NOT_READY = Map.of(
            "record_lost",
            ": spawns are refused, for the state folder or brig.db takes no writes; the gateway's log says why",
            "worker_agent",
            ": spawns are refused until the worker-agent answers; see its log");

    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        try (GatewayClient client = main.context().connect()) {
            Fields status = client.request(Map.of("action", "gateway"));
            if (main.json()) {
                main.terminal().json(status.asMap());
            } else {
                lines(status).forEach(main.terminal()::println);
            }
        }
        return 0;
    }

    /** As people read it; {@code brig top} begins with the same. */
    static List<String> lines(Fields status) {
        Fields queue = status.object("queue");
        long waiting = count(queue, "waiting");
        String spawns = status.object("spawns").asMap().entrySet().stream()
                .map(state -> state.getValue() + " " + state.getKey())
                .collect(Collectors.joining(", "));
        List<String> lines = new ArrayList<>(List.of(
                "gateway      brig " + status.text("version", "") + ", up "
                        + TreeDrawing.duration(count(status, "uptime_ms")) + ", " + status.text("pool", ""),
                "workers      " + count(status, "workers") + " of " + count(status, "workers_max"),
                "queue        " + waiting + " of " + count(queue, "max")
                        + (waiting == 0 ? "" : ", a place in about " + count(queue, "estimate_seconds") + " s"),
                "connections  " + count(status, "connections") + " of " + count(status, "connections_max"),
                "spawns       " + (spawns.isEmpty() ? "none yet" : spawns)));
        String notReady = status.text("not_ready", "");
        if (!notReady.isEmpty()) {
            lines.add(1, "not ready    " + notReady + NOT_READY.getOrDefault(notReady, ""));
        }
        return lines;
    }

    private static long count(Fields fields, String name) {
        return fields.number(name, 0, Long.MAX_VALUE, 0);
    }
}
