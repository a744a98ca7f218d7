package brig.cli;

import brig.cli.install.Installation;
import brig.cli.install.Links;
import brig.cli.install.StartupArchives;
import brig.cli.setup.AgentFolder;
import brig.cli.setup.HostTools;
import brig.cli.setup.Questions;
import brig.cli.terminal.Spinner;
import brig.cli.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig setup}.
 *
 * <p>Decisions 0182, 0201.
 */
@Command(
        name = "setup",
        description = "Set Brig up for you: fast start, agents, their access to models, and a trial of each.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Says what is on this host, and asks before it installs an agent, uses a login or a key, or sends a message.",
            "Enter takes the default. Needs no root, and may be run again: what is there stays. Agents are installed by npm",
            "into a folder of Brig's own, in the versions that Brig was tried with. Without a terminal nobody is asked, and",
            "only what options name is done besides start-up archives and links.",
            "",
            "Exits with 1 if this host lacks something that walls need, an agent was not installed, or a trial failed.",
            "",
            "Examples:",
            "  brig setup",
            "  brig setup --yes                        take every default",
            "  brig setup --install claude,codex       install these, ask the rest",
            "  brig setup --trial                      try the agents that are ready again",
            "  brig setup --undo                       remove agents, routes and logins of 'brig setup', and links; what",
            "                                          sessions recorded stays, as does a login that a vendor's program has",
            "  tar -xf brig-VERSION-linux-amd64.tar.zst && brig/bin/brig setup"
        })
final class SetupCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(
            names = "--without-archives",
            description =
                    "Make no start-up archives. They take half a minute and 110 MB, and halve the time of each start.")
    private boolean withoutArchives;

    @Option(names = "--without-links", description = "Make no links in ~/.local/bin, and none for shells and man.")
    private boolean withoutLinks;

    @Option(
            names = "--install",
            paramLabel = "AGENT",
            split = ",",
            description = "Install these agents, also beside others in the PATH: claude, codex, opencode.")
    private @Nullable List<String> install;

    @Option(names = "--trial", description = "Send one short message to each agent that is ready.")
    private boolean trial;

    @Option(
            names = "--trial-seconds",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "The time that an agent has to answer. Default: 120.")
    private int trialSeconds;

    @Option(names = "--yes", description = "Do not ask; take the defaults.")
    private boolean yes;

    @Option(names = "--undo", description = "Remove what 'brig setup' made.")
    private boolean undo;

    private record Undone(List<String> removed) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (trialSeconds < 1) {
            throw main.wrongUsage("--trial-seconds must be at least 1");
        }
        CommandContext context = main.context();
        boolean asks = !yes && !main.json() && Terminal.isTerminal(0);
        Questions questions = new Questions(
                main.terminal(),
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
                asks ? Questions.Mode.PERSON : yes ? Questions.Mode.DEFAULTS : Questions.Mode.NOBODY);
        if (undo) {
            return undo(context, questions);
        }
        Installation archive = context.archive();
        boolean archives = archive != null && StartupArchives.areMade(archive.home());
        Links.Placed placed = new Links.Placed(List.of(), List.of());
        if (archive != null) {
            try (FileChannel _ = archive.lock()) {
                archives = withoutArchives ? archives : makeArchives(main, archive.home());
                placed = withoutLinks ? placed : new Links(archive).place();
            }
        }
        if (!main.json()) {
            SetupReport.print(main.terminal(), placed);
        }
        SetupReport report;
        try (AgentFolder.Lock _ = new AgentFolder().lock();
                CommandContext.Connection gateway = context.connectOrEmbed()) {
            report = go(context, gateway, questions, archives, placed);
        }
        if (main.json()) {
            main.terminal().json(report);
        } else {
            report.print(context, main.terminal());
        }
        return report.isWell() ? 0 : 1;
    }

    private SetupReport go(
            CommandContext context,
            CommandContext.Connection gateway,
            Questions questions,
            boolean archives,
            Links.Placed placed)
            throws IOException, InterruptedException {
        SetupSteps steps = new SetupSteps(main, context, gateway, questions);
        if (install != null) {
            steps.requireNames(install);
        }
        SetupSteps.Seen seen = steps.look();
        List<HostTools.Tool> tools = steps.tools();
        List<String> keys = steps.keys();
        if (!main.json()) {
            SetupReport.printFound(main, seen.agents(), tools, keys, seen.missing());
        }
        List<String> installed = List.of();
        List<String> routes = List.of();
        String notHere = steps.notHere();
        if (notHere == null) {
            installed = steps.install(seen.agents(), install);
            seen = installed.isEmpty() ? seen : steps.lookAgain(seen);
            routes = steps.giveAccess(seen.agents());
            seen = routes.isEmpty() ? seen : steps.lookAgain(seen);
        } else if (install != null) {
            steps.fail(notHere);
        }
        List<AgentTrial.Result> trials = List.of();
        List<String> ready = seen.ready();
        boolean isNew = !installed.isEmpty() || !routes.isEmpty();
        if (!ready.isEmpty()
                && SetupReport.wallWorks(seen.missing())
                && (trial
                        || questions.agrees(
                                "send one short message to " + String.join(", ", ready) + " behind the wall?",
                                isNew))) {
            trials = steps.tryAll(ready, trialSeconds);
        }
        String works = trials.stream()
                .filter(AgentTrial.Result::isAnswered)
                .map(AgentTrial.Result::agent)
                .findFirst()
                .orElse(trials.isEmpty() && !ready.isEmpty() ? ready.getFirst() : null);
        return new SetupReport(
                archives,
                placed.links(),
                placed.taken(),
                seen.missing(),
                seen.agents(),
                tools,
                keys,
                installed,
                routes,
                trials,
                steps.failures(),
                SetupReport.next(context, !placed.links().isEmpty(), works));
    }

    private int undo(CommandContext context, Questions questions) throws IOException {
        SetupTraces traces = new SetupTraces(context);
        traces.requireIdle();
        List<Path> present = traces.present();
        if (questions.reachPerson() && !present.isEmpty()) {
            present.forEach(one -> main.terminal().println("  " + one));
            if (!questions.agrees("remove these?", true)) {
                main.terminal().note("nothing was removed");
                return 1;
            }
        }
        traces.remove();
        traces.removeArchives();
        if (present.isEmpty()) {
            main.terminal().note("'brig setup' has left nothing here");
        }
        if (main.json()) {
            main.terminal().json(new Undone(present.stream().map(Path::toString).toList()));
        } else {
            present.forEach(one -> main.terminal().println("removed " + one));
        }
        return 0;
    }

    /** Makes those that are not there, and says how far that is. */
    static boolean makeArchives(Main main, Path version) {
        if (StartupArchives.areMade(version)) {
            return true;
        }
        Terminal terminal = main.terminal();
        terminal.note("making archives for a fast start: half a minute, or a few minutes on a busy host");
        boolean made;
        try (Spinner _ = terminal.spinner("making archives")) {
            made = StartupArchives.make(
                    version, (count, of) -> terminal.note("archive " + count + " of " + of + " is made"));
        }
        if (!made) {
            terminal.note("not all of them could be made: Brig works, and starts slower");
        }
        return made;
    }
}
