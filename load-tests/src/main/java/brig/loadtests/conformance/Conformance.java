package brig.loadtests.conformance;

import brig.loadtests.client.Scale;
import brig.loadtests.client.Target;
import brig.loadtests.client.WorkerPlace;
import brig.loadtests.report.Console;
import brig.loadtests.report.Machine;
import brig.loadtests.report.ProgressDisplay;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code brig conformance}. */
@Command(
        name = "conformance",
        description = "Checks a server against PROTOCOL.md, and names the clause that each check proves.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Without URL it starts the installed product itself, with small limits, and restarts it; with",
            "URL the checks that need this are left out, and the Unix sockets must be of this host. The",
            "server needs an agent profile that runs messages with a shell. Exit code 1: a check failed.",
            "",
            "Examples:",
            "  brig conformance",
            "  brig conformance --only cut,stall",
            "  brig conformance http://127.0.0.1:7070 --token \"$(brig token)\"",
            "  ./gradlew :load-tests:run -Pargs='conformance'"
        })
public final class Conformance implements Callable<Integer> {
    @Parameters(paramLabel = "URL", arity = "0..1", description = "A server that runs already.")
    private @Nullable URI url;

    @Option(names = "--token", description = "Its admin token, as 'brig token' prints it.", defaultValue = "")
    private String token = "";

    @Option(names = "--agent", description = "Agent profile that runs messages with a shell.", defaultValue = "shell")
    private String agent = "shell";

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "Run all sessions on that host of the server's; needs URL.")
    private @Nullable String host;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Run each session in a sandbox that this provider of the server's makes; needs URL.")
    private @Nullable String provider;

    @Option(names = "--only", paramLabel = "NAME", split = ",", description = "Only these; --list names them.")
    private List<String> only = new ArrayList<>();

    @Option(names = "--list", description = "List the checks with the rules that they prove.")
    private boolean list;

    @Mixin
    private Console console = new Console();

    @Override
    public Integer call() throws IOException {
        List<Check> checks = Kit.checks().stream()
                .filter(check -> only.isEmpty() || only.contains(check.name()))
                .toList();
        checkUsage(checks);
        if (list) {
            checks.forEach(check -> console.out()
                    .printf(
                            "%-15s %-4s %s%n%20s \"%s\"%n",
                            check.name(), check.clause(), check.says(), "", check.rule()));
            return 0;
        }
        if (url != null) {
            URI base = url;
            Scale scale = provider == null ? Scale.PRODUCT : Scale.SANDBOXES;
            return report(Kit.run(
                    checks,
                    new Target(() -> base, token, agent, new WorkerPlace(host, provider), scale, null),
                    lines(checks)));
        }
        try (Product product = Product.start()) {
            return report(Kit.run(checks, product.target(agent), lines(checks)));
        }
    }

    private void checkUsage(List<Check> checks) {
        String wrong = url != null && (!"http".equals(url.getScheme()) || url.getHost() == null || url.getPort() < 0)
                ? "URL must be http://HOST:PORT"
                : url != null && token.isEmpty()
                        ? "URL needs --token"
                        : url == null && host != null
                                ? "--host needs URL"
                                : url == null && provider != null
                                        ? "--provider needs URL"
                                        : checks.isEmpty() ? "no such check; conformance --list names them" : "";
        if (!wrong.isEmpty()) {
            throw console.refusal(wrong);
        }
    }

    private ProgressLines lines(List<Check> checks) {
        return new ProgressLines(
                console.isJson() ? null : console.out(),
                ProgressDisplay.isTerminal(),
                checks.stream().mapToInt(check -> check.ways().size()).sum());
    }

    private int report(List<Kit.Result> results) {
        Map<Kit.Verdict, Integer> counts = new LinkedHashMap<>();
        for (Kit.Verdict verdict : Kit.Verdict.values()) {
            counts.put(verdict, (int) results.stream()
                    .filter(result -> result.verdict() == verdict)
                    .count());
        }
        int failed = counts.getOrDefault(Kit.Verdict.FAIL, 0);
        int skipped = counts.getOrDefault(Kit.Verdict.SKIP, 0);
        if (console.isJson()) {
            List<CheckReport> checks = results.stream().map(CheckReport::of).toList();
            int passed = counts.getOrDefault(Kit.Verdict.OK, 0);
            console.print(new ConformanceReport(Machine.line(), passed, failed, skipped, checks));
        } else {
            console.say(counts.get(Kit.Verdict.OK) + " passed, " + failed + " failed"
                    + (skipped == 0 ? "" : ", " + skipped + " left out: they need a server that this program started"));
        }
        return failed == 0 ? 0 : 1;
    }

    /** The {@code --json} output. */
    private record ConformanceReport(String machine, int passed, int failed, int skipped, List<CheckReport> checks) {}

    /**
     * The result of a check over one transport.
     *
     * @param fault the server's violation; empty for none
     */
    private record CheckReport(
            String name, String way, String clause, String rule, Kit.Verdict verdict, String fault, long tookMs) {
        static CheckReport of(Kit.Result result) {
            Check check = result.check();
            return new CheckReport(
                    check.name(),
                    result.way().toString(),
                    check.clause(),
                    check.rule(),
                    result.verdict(),
                    result.fault(),
                    result.tookMs());
        }
    }
}
