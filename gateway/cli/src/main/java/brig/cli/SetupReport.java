package brig.cli;

import brig.cli.install.Installation;
import brig.cli.install.Links;
import brig.cli.setup.HostTools;
import brig.cli.terminal.Terminal;
import brig.gateway.config.Paths;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code brig setup} found and did.
 *
 * @param archives whether start-up archives are there
 * @param taken places of links at which something else is
 * @param missing what the doctor finds
 * @param keys variables of keys in the environment
 * @param installed agents that were not there before
 * @param routes agents that have a login or a key now, and had none
 * @param failures in words
 * @param next commands that work now
 */
record SetupReport(
        boolean archives,
        List<String> links,
        List<String> taken,
        List<Finding> missing,
        List<AgentState> agents,
        List<HostTools.Tool> tools,
        List<String> keys,
        List<String> installed,
        List<String> routes,
        List<AgentTrial.Result> trials,
        List<String> failures,
        List<String> next) {
    /**
     * An agent on this host.
     *
     * @param tried the version that Brig was tried with
     * @param detail version, place and problems
     * @param route where its model is; null for none
     * @param login where its vendor's login is; null for none
     * @param key the variable that has a key for it; null for none
     */
    record AgentState(
            String name,
            String tried,
            AgentOffer.State state,
            String detail,
            @Nullable String route,
            @Nullable String login,
            @Nullable String key) {
        boolean hasAccess() {
            return route != null || login != null || key != null;
        }

        private List<String> row() {
            String access = Stream.of(
                            route == null ? null : "model at " + route,
                            login == null ? null : "login in " + login,
                            key == null ? null : "key in " + key)
                    .flatMap(Stream::ofNullable)
                    .collect(Collectors.joining(", "));
            return List.of(
                    name,
                    state.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    state == AgentOffer.State.NOT_INSTALLED ? "tried was " + tried : shortened(detail),
                    access.isEmpty() ? "no login and no key here" : shortened(access));
        }
    }

    /** With {@code ~} for the user's home. */
    static String shortened(String text) {
        return text.replace(Paths.userHome() + "/", "~/");
    }

    /** What was seen on the host. */
    static void printFound(
            Main main, List<AgentState> agents, List<HostTools.Tool> tools, List<String> keys, List<Finding> missing) {
        Terminal terminal = main.terminal();
        terminal.table(
                List.of("AGENT", "STATE", "PROGRAM", "ACCESS"),
                agents.stream().map(AgentState::row).toList());
        terminal.println("");
        List<List<String>> rows = new ArrayList<>(tools.stream()
                .map(tool -> List.of(
                        tool.name(),
                        tool.path() == null
                                ? "none"
                                : tool.version() == null ? tool.path() : tool.version() + ", " + tool.path()))
                .toList());
        rows.add(List.of("keys", keys.isEmpty() ? "none in the environment" : String.join(", ", keys)));
        terminal.table(List.of("HERE", ""), rows);
        terminal.println("");
        printHost(main, missing);
    }

    /** What walls need in full, other remarks by name. */
    private static void printHost(Main main, List<Finding> missing) {
        List<Finding> failed = missing.stream()
                .filter(finding -> finding.status() == FindingStatus.FAIL)
                .toList();
        if (!failed.isEmpty()) {
            main.print(failed);
            main.terminal().println("");
        }
        String remarks = missing.stream()
                .filter(finding -> finding.status() == FindingStatus.WARN)
                .map(Finding::name)
                .filter(name -> !name.startsWith(SetupSteps.FINDING))
                .collect(Collectors.joining(", "));
        if (!remarks.isEmpty()) {
            main.terminal().note("'" + main.context().command("doctor") + "' has remarks about this host: " + remarks);
        }
    }

    static void print(Terminal terminal, Links.Placed placed) {
        placed.links().forEach(link -> terminal.println("linked " + link));
        placed.taken().forEach(link -> terminal.note(link + " is something else, and stays"));
    }

    /** Whether a wall can be built here. */
    static boolean wallWorks(List<Finding> missing) {
        return missing.stream().noneMatch(finding -> finding.status() == FindingStatus.FAIL);
    }

    boolean isWell() {
        return wallWorks(missing) && failures.isEmpty() && trials.stream().allMatch(AgentTrial.Result::isAnswered);
    }

    /** Trials, and what works now. */
    void print(CommandContext context, Terminal terminal) {
        if (!trials.isEmpty()) {
            terminal.println("");
            terminal.table(
                    List.of("AGENT", "TRIAL", "SECONDS", "SAYS"),
                    trials.stream()
                            .map(trial -> List.of(
                                    trial.agent(),
                                    trial.isAnswered() ? "OK" : "FAIL",
                                    String.valueOf(trial.seconds()),
                                    trial.cause() == null
                                            ? String.valueOf(trial.answer()).replace('\n', ' ')
                                            : trial.cause()))
                            .toList());
            trials.forEach(trial -> {
                if (trial.mend() != null) {
                    terminal.lines("\n" + trial.agent() + ": " + trial.mend());
                }
            });
        }
        terminal.println("");
        terminal.println("try next:");
        next.forEach(command -> terminal.println("  " + command));
        Installation archive = context.archive();
        if (archive != null && !links.isEmpty() && !isOnPath()) {
            terminal.note(Links.binFolder() + " is not on your PATH. This line in ~/.profile puts it there: "
                    + "export PATH=\"" + Links.binFolder() + ":$PATH\"");
        }
    }

    private static boolean isOnPath() {
        return List.of(String.valueOf(System.getenv("PATH")).split(":"))
                .contains(Links.binFolder().toString());
    }

    /** Three commands for this state. */
    static List<String> next(CommandContext context, boolean linked, @Nullable String works) {
        String brig = (linked && isOnPath() ? "brig" : context.program().toString()) + context.option();
        return works == null
                ? List.of(brig + " run demo-writer", brig + " run shell -- 'echo hi; id'", brig + " serve")
                : List.of(
                        brig + " run " + works + " -- 'Write hello.c and a Makefile'",
                        brig + " run --tty " + works,
                        brig + " serve");
    }
}
