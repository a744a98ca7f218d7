package brig.cli;

import brig.protocol.api.AuditPage;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.egress.AuditEntry;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
    private int limit;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue with new requests.")
    private boolean follow;

    @Override
    public Integer call() throws InterruptedException {
        try (GatewayClient client = main.context().connect()) {
            JsonObject answer = client.request(question(null, limit));
            answer.objects("entries").reversed().forEach(this::print);
            AuditPage page = answer.as(AuditPage.class);
            if (!page.complete()) {
                main.terminal().note("the worker-agent does not answer: newer entries may be missing");
            }
            boolean more = false;
            while (follow) {
                if (!more) {
                    Thread.sleep(LOOK_AGAIN_MS);
                }
                answer = client.request(question(more ? page.next() : Long.valueOf(page.lastSeq()), 0));
                answer.objects("entries").forEach(this::print);
                page = answer.as(AuditPage.class);
                more = page.next() != null;
            }
        }
        return 0;
    }

    private SpawnerRequest.Audit question(@Nullable Long after, int atMost) {
        long from = since == null ? 0 : System.currentTimeMillis() - 1000 * TokenCommand.seconds("--since", since);
        return new SpawnerRequest.Audit(
                spawn, host, blocked ? AuditEvent.Decision.BLOCKED : null, from, 0, atMost, 0, after);
    }

    private void print(JsonObject entry) {
        if (main.json()) {
            main.terminal().json(entry);
            return;
        }
        main.terminal().println(text(entry));
    }

    /** The entry as one line. */
    static String text(JsonObject entry) {
        AuditLine line = entry.as(AuditEntry.class).line();
        String time =
                Instant.ofEpochMilli(line.ts()).truncatedTo(ChronoUnit.SECONDS).toString();
        String told = switch (line.event()) {
            case null -> "lost     " + line.lost() + " entries that were not written in time";
            case AuditEvent.Decided decided -> named(line, entry, decided(decided.result()));
            case EgressEvent.TlsFailed failed ->
                named(
                        line,
                        entry,
                        EgressCommand.request("", "", failed.host(), failed.port(), "") + "  (" + failed.rule() + ")");
            case EgressEvent.Subagent met -> named(line, entry, "sub-agent " + met.agentId());
            case EgressEvent.Usage usage -> named(line, entry, used(usage));
        };
        return time + "  " + told;
    }

    private static String used(EgressEvent.Usage usage) {
        return usage.model()
                + (usage.inputTokens() == null ? "" : " " + usage.inputTokens() + " in")
                + (usage.outputTokens() == null ? "" : " " + usage.outputTokens() + " out")
                + "  (" + usage.route() + ")";
    }

    private static String named(AuditLine line, JsonObject entry, String about) {
        return pad(entry.text("decision", entry.text("kind", ""))) + (line.spawnId() == null ? "" : line.spawnId())
                + "  " + about;
    }

    private static String decided(AuditEvent.Result result) {
        return EgressCommand.request(result.method(), result.scheme(), result.host(), result.port(), result.path())
                + (result.status() == 0 ? "" : " " + result.status())
                + (result.secrets().isEmpty() ? "" : " with " + String.join(", ", result.secrets()))
                + "  (" + result.rule() + ")";
    }

    private static String pad(String decision) {
        return decision + " ".repeat(Math.max(1, 9 - decision.length()));
    }
}
