package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig egress}: the network access of a session. */
@Command(
        name = "egress",
        description = "Show and decide which hosts a session may reach.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  brig egress list build                          rules, and requests that wait for an answer",
            "  brig egress allow build registry.npmjs.org      until the session ends",
            "  brig egress allow build api.example.org --once  for one request",
            "  brig egress allow build pypi.org --save         also in the file of its policy, for other sessions",
            "  brig egress deny build api.example.org          refuse waiting requests; the next one asks again",
            "  brig egress revoke build GITHUB_TOKEN           revoke a secret"
        })
final class EgressCommand {
    @ParentCommand
    private Main main = new Main();

    /** How long a permission lasts. */
    static final class Extent {
        @Option(names = "--once", description = "Only for one request.")
        private boolean once;

        @Option(
                names = "--save",
                description = "Also write the host into the session's policy, for all sessions with that policy.")
        private boolean save;
    }

    @Command(
            description = "List the hosts that a session may reach, and the requests that wait for an answer.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig egress list build"})
    int list(@Parameters(paramLabel = "SPAWN", description = "The spawn_id or task_id of the session.") String id) {
        main.show(new SpawnerRequest.Egress(id, null, null, null), EgressAnswer.class, answer -> print(answer, id));
        return 0;
    }

    private void print(EgressAnswer answer, String id) {
        Terminal terminal = main.terminal();
        String policy = "policy " + answer.policy();
        if (!answer.wayOut()) {
            terminal.println("no way out: " + policy + " has no egress");
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        answer.denied().forEach(host -> rows.add(List.of("denied", host, policy)));
        answer.allowed().forEach(rule -> rows.add(List.of("allowed", text(rule), policy)));
        answer.tunnelled().forEach(host -> rows.add(List.of("unread", host, policy)));
        answer.allowedMeanwhile().forEach(host -> rows.add(List.of("allowed", host, "a person")));
        for (EgressAnswer.SecretUse secret : answer.secrets()) {
            rows.add(List.of(
                    secret.revoked() ? "revoked" : "secret", secret.name(), "to " + String.join(", ", secret.hosts())));
        }
        terminal.table(List.of("RULE", "WHAT", "BY"), rows);
        for (EgressAnswer.OpenAsk ask : answer.asks()) {
            long leftMs = ask.deadlineMs() - System.currentTimeMillis();
            String host = hostOf(ask.host(), ask.port());
            terminal.println("");
            terminal.println("waits " + Math.max(leftMs, 0) / 1000 + " s more: " + ask.method() + " " + host);
            terminal.println("  brig egress allow " + id + " " + host);
        }
    }

    /** A rule with methods and paths is an object. */
    private static String text(Object rule) {
        if (!(rule instanceof JsonObject bounded)) {
            return String.valueOf(rule);
        }
        return Stream.of(List.of(bounded.text("host", "")), bounded.texts("methods"), bounded.texts("paths"))
                .flatMap(List::stream)
                .collect(Collectors.joining(" "));
    }

    @Command(
            description = "Let a session reach a host.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "What the policy denies stays denied. A host without a port means ports 80 and 443.",
                "",
                "Examples:",
                "  brig egress allow build registry.npmjs.org",
                "  brig egress allow build db.example.org:5432 --once"
            })
    int allow(
            @Parameters(paramLabel = "SPAWN", description = "The spawn_id or task_id of the session.") String id,
            @Parameters(paramLabel = "HOST", description = "A name, *.name or an address, optionally with :port.")
                    String host,
            @ArgGroup(exclusive = true) @Nullable Extent extent) {
        boolean once = extent != null && extent.once;
        boolean save = extent != null && extent.save;
        EgressDecision decision = save ? EgressDecision.SAVE : once ? EgressDecision.ONCE : EgressDecision.ALLOW;
        EgressDecided done = decide(new SpawnerRequest.Egress(id, decision, host, null));
        if (!main.json()) {
            main.terminal()
                    .note("allowed " + host
                            + (once
                                    ? " for one request"
                                    : save ? ", also in " + done.file() : " for as long as the session lives"));
        }
        return 0;
    }

    @Command(
            description = "Refuse the requests to a host that wait for an answer.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "To refuse the host for good, add it to deniedHosts of the policy.",
                "",
                "Example:",
                "  brig egress deny build api.example.org"
            })
    int deny(
            @Parameters(paramLabel = "SPAWN", description = "The spawn_id or task_id of the session.") String id,
            @Parameters(paramLabel = "HOST", description = "The host, as 'brig egress list' shows it.") String host) {
        decide(new SpawnerRequest.Egress(id, EgressDecision.DENY, host, null));
        if (!main.json()) {
            main.terminal().note("refused " + host);
        }
        return 0;
    }

    @Command(
            description = "Revoke a secret of a session, for good.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig egress revoke build GITHUB_TOKEN"})
    int revoke(
            @Parameters(paramLabel = "SPAWN", description = "The spawn_id or task_id of the session.") String id,
            @Parameters(paramLabel = "SECRET", description = "The name of the secret in the policy.") String secret) {
        decide(new SpawnerRequest.Egress(id, EgressDecision.REVOKE, null, secret));
        if (!main.json()) {
            main.terminal().note("took back " + secret);
        }
        return 0;
    }

    private EgressDecided decide(SpawnerRequest.Egress decision) {
        try (GatewayClient client = main.context().connect()) {
            JsonObject done = client.request(decision);
            if (main.json()) {
                main.terminal().json(done);
            }
            return done.as(EgressDecided.class);
        }
    }

    /** A host in the form that {@code allow} takes. */
    static String hostOf(String host, long port) {
        boolean usual = port == 0 || port == 80 || port == 443;
        return usual ? host : (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** A request in the form shown to people. */
    static String request(String method, String scheme, String host, long port, String path) {
        return method + " " + (scheme.isEmpty() ? "" : scheme + "://") + hostOf(host, port) + path;
    }
}
