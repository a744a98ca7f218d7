package brig.cli;

import brig.protocol.json.Fields;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig audit}. */
@Command(
        name = "audit",
        description = "Show the network requests of agents and their results, oldest first.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig audit --blocked --since 1h        requests that were refused in the last hour",
            "  brig audit --spawn build -f            continue until Ctrl-C",
            "  brig audit --host pypi.org --json      one JSON object per request"
        })
final class AuditCommand implements Callable<Integer> {
    private static final long LOOK_AGAIN_MS = 1_000;

    @ParentCommand
    private Main main = new Main();

    @Option(names = "--spawn", paramLabel = "ID", description = "Only requests of this session.")
    private @Nullable String spawn;

    @Option(names = "--host", paramLabel = "HOST", description = "Only requests to this host.")
    private @Nullable String host;

    @Option(names = "--blocked", description = "Only refused requests.")
    private boolean blocked;

    @Option(names = "--since", paramLabel = "AGE", description = "Only requests younger than this: 90s, 15m, 24h, 30d.")
    private @Nullable String since;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "The number of newest requests to show, at most 1000.",
            defaultValue = "100")
    private long limit;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue with new requests.")
    private boolean follow;

    @Override
    public Integer call() throws InterruptedException {
        try (GatewayClient client = main.context().connect()) {
            Map<String, @Nullable Object> question = question();
            Fields answer = client.request(question);
            answer.objects("entries").reversed().forEach(this::print);
            if (!answer.flag("complete")) {
                main.terminal().note("the worker-agent does not answer: newer entries may be missing");
            }
            question.remove("limit");
            while (follow) {
                boolean more = answer.has("next") && question.containsKey("after");
                question.put("after", answer.number(more ? "next" : "last_seq", 0, Long.MAX_VALUE, 0));
                if (!more) {
                    Thread.sleep(LOOK_AGAIN_MS);
                }
                answer = client.request(question);
                answer.objects("entries").forEach(this::print);
            }
        }
        return 0;
    }

    private Map<String, @Nullable Object> question() {
        Map<String, @Nullable Object> question = new LinkedHashMap<>();
        question.put("action", "audit");
        question.put("spawn_id", spawn);
        question.put("host", host);
        question.put("decision", blocked ? "blocked" : null);
        question.put(
                "since",
                since == null ? null : System.currentTimeMillis() - 1000 * TokenCommand.seconds("--since", since));
        question.put("limit", limit);
        return question;
    }

    private void print(Fields entry) {
        if (main.json()) {
            main.terminal().json(entry.asMap());
            return;
        }
        String time = Instant.ofEpochMilli(entry.number("ts", 0, Long.MAX_VALUE, 0))
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        String decision = entry.text("decision", entry.text("kind", ""));
        if (entry.has("lost")) {
            main.terminal()
                    .println(time + "  lost     " + entry.number("lost", 0, Long.MAX_VALUE, 0)
                            + " entries that were not written in time");
            return;
        }
        long status = entry.number("status", 0, 999, 0);
        List<String> secrets = entry.texts("secrets");
        main.terminal()
                .println(time + "  " + pad(decision) + entry.text("spawn_id", "") + "  "
                        + EgressCommand.request(entry) + (status == 0 ? "" : " " + status)
                        + (secrets.isEmpty() ? "" : " with " + String.join(", ", secrets)) + "  ("
                        + entry.text("rule", "") + ")");
    }

    private static String pad(String decision) {
        return decision + " ".repeat(Math.max(1, 9 - decision.length()));
    }
}
