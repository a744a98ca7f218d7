package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.json.Fields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig egress}: what a session may reach of the outside. */
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

    /** How long what is allowed stays so. */
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
        try (GatewayClient client = main.context().connect()) {
            Fields answer = client.request(Map.of("action", "egress", "id", id));
            if (main.json()) {
                main.terminal().json(answer.asMap());
                return 0;
            }
            print(answer, id);
        }
        return 0;
    }

    private void print(Fields answer, String id) {
        Terminal terminal = main.terminal();
        String policy = "policy " + answer.text("policy", "");
        if (!answer.flag("way_out")) {
            terminal.println("no way out: " + policy + " has no egress");
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        each(answer, "denied").forEach(host -> rows.add(List.of("denied", host, policy)));
        each(answer, "allowed").forEach(host -> rows.add(List.of("allowed", host, policy)));
        each(answer, "tunnelled").forEach(host -> rows.add(List.of("unread", host, policy)));
        each(answer, "allowed_meanwhile").forEach(host -> rows.add(List.of("allowed", host, "a person")));
        for (Fields secret : answer.objects("secrets")) {
            rows.add(List.of(
                    secret.flag("revoked") ? "revoked" : "secret",
                    secret.text("name", ""),
                    "to " + String.join(", ", secret.texts("hosts"))));
        }
        terminal.table(List.of("RULE", "WHAT", "BY"), rows);
        for (Fields ask : answer.objects("asks")) {
            long leftMs = ask.number("deadline_ms", 0, Long.MAX_VALUE, 0) - System.currentTimeMillis();
            terminal.println("");
            terminal.println(
                    "waits " + Math.max(leftMs, 0) / 1000 + " s more: " + ask.text("method", "") + " " + hostOf(ask));
            terminal.println("  brig egress allow " + id + " " + hostOf(ask));
        }
    }

    /** Entries of a list, as text: a rule with methods and paths is an object. */
    private static List<String> each(Fields answer, String name) {
        return answer.asMap().get(name) instanceof List<?> list
                ? list.stream().map(EgressCommand::text).toList()
                : List.of();
    }

    private static String text(@Nullable Object rule) {
        if (!(rule instanceof Map<?, ?> bounded)) {
            return String.valueOf(rule);
        }
        StringBuilder text = new StringBuilder(String.valueOf(bounded.get("host")));
        for (String bound : List.of("methods", "paths")) {
            if (bounded.get(bound) instanceof List<?> list) {
                list.forEach(one -> text.append(' ').append(one));
            }
        }
        return text.toString();
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
        Fields done = decide(id, save ? "save" : once ? "once" : "allow", "host", host);
        if (!main.json()) {
            main.terminal()
                    .note("allowed " + host
                            + (once
                                    ? " for one request"
                                    : save
                                            ? ", also in " + done.text("file", "")
                                            : " for as long as the session lives"));
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
        decide(id, "deny", "host", host);
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
        decide(id, "revoke", "secret", secret);
        if (!main.json()) {
            main.terminal().note("took back " + secret);
        }
        return 0;
    }

    private Fields decide(String id, String decision, String about, String value) {
        Map<String, String> request = new LinkedHashMap<>();
        request.put("action", "egress");
        request.put("id", id);
        request.put("decision", decision);
        request.put(about, value);
        try (GatewayClient client = main.context().connect()) {
            Fields done = client.request(request);
            if (main.json()) {
                main.terminal().json(done.asMap());
            }
            return done;
        }
    }

    /** A host as {@code allow} takes it. */
    static String hostOf(Fields event) {
        long port = event.number("port", 0, 65_535, 0);
        String host = event.text("host", "");
        boolean usual = port == 0 || port == 80 || port == 443;
        return usual ? host : (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** A request as a person would say it. */
    static String request(Fields event) {
        String scheme = event.text("scheme", "");
        return event.text("method", "") + " " + (scheme.isEmpty() ? "" : scheme + "://") + hostOf(event)
                + event.text("path", "");
    }
}
