package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code brig} command. Exit codes: the agent's own; 125 refused, 3 session not ready, 2 wrong usage. */
@Command(
        name = "brig",
        description = "Runs AI coding agents behind a wall and streams their output.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        addMethodSubcommands = false,
        footer = {
            "",
            "Examples:",
            "  brig                                  show sessions and what waits for an answer, on a terminal",
            "  brig serve                            start the gateway",
            "  brig run shell -- 'echo hi; id'       run one command behind the wall",
            "  brig run demo-writer                  an example stream, without a model or a key",
            "  brig sessions                         list running sessions",
            "  brig open                             show them live in the browser",
            "  brig top                              show them live in the terminal, with limits, rates and tokens",
            "  brig tree ID                          show the agent of a session and its sub-agents",
            "  brig track -- claude -p ...           show an agent outside of the wall as a session",
            "  brig acp --agent claude               run an agent for Zed, JetBrains and other editors",
            "  brig route set claude --key-file F    give an agent access to its model; then: brig run claude",
            "  brig doctor                           show what the wall enforces on this host",
            "",
            "Test an installation; each command has its own --help:",
            "  brig bench --quick                    measure how fast it streams, compared with other servers",
            "  brig conformance                      check every rule of the protocol",
            "",
            "Settings: --config FILE, BRIG_CONFIG, /etc/brig/brig.json or ~/.config/brig/brig.json.",
            "A gateway on another host: BRIG_HOST=https://HOST with BRIG_TOKEN or BRIG_TOKEN_FILE.",
            "Exit codes: the agent's own; 125: Brig refused; 3: the session is not ready; 2: wrong usage."
        })
public final class Main implements Callable<Integer> {
    private static final int USAGE_COLUMNS = 110;

    private final Terminal terminal;
    private final List<String> words;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "A file with the settings that differ from the defaults.")
    private @Nullable Path configFile;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print JSON.")
    private boolean json;

    /** The placeholder parent of a command until it gets its own. */
    Main() {
        this(Terminal.ofNobody(), List.of());
    }

    private Main(Terminal terminal, List<String> words) {
        this.terminal = terminal;
        this.words = words;
    }

    /** Runs the command line and exits with its code. */
    public static void main(String[] args) {
        Main main = new Main(Terminal.ofProcess(), List.of(args));
        if (isOfAgent(args)) {
            System.exit(main.direct(args.length == 1 ? null : Path.of(args[2]), () -> McpCommand.serve(main)));
        }
        if (isOfSupervisor(args)) {
            Path workerAgent = args.length == 3 ? null : Path.of(args[4]);
            System.exit(main.direct(Path.of(args[2]), () -> ServeCommand.serve(main, workerAgent)));
        }
        CommandLine line = Commands.of(main, args)
                .setExecutionExceptionHandler((failure, command, parsed) -> main.handleFailure(failure))
                .setParameterExceptionHandler((wrong, arguments) -> main.handleWrongUsage(wrong))
                .registerConverter(long.class, text -> number(text, Long::parseLong))
                .registerConverter(int.class, text -> number(text, Integer::parseInt))
                .setUsageHelpWidth(USAGE_COLUMNS);
        System.exit(line.execute(Commands.known(line, args)));
    }

    /** As {@code brig mcp install} has an agent start it. Without a description of commands the start takes half as long. */
    private static boolean isOfAgent(String[] args) {
        boolean isConfigured = args.length == 3 && args[1].equals("--config");
        return (args.length == 1 || isConfigured) && args[0].equals("mcp");
    }

    /** As a supervisor starts it, perhaps after a crash: readers of sessions wait. */
    static boolean isOfSupervisor(String[] args) {
        boolean isOfService = args.length == 5 && args[3].equals("--worker-agent");
        return (args.length == 3 || isOfService)
                && args[0].equals("serve")
                && args[1].equals("--config")
                && !args[2].startsWith("-");
    }

    private int direct(@Nullable Path settings, IntSupplier command) {
        configFile = settings;
        try {
            return command.getAsInt();
        } catch (BrigException refusal) {
            terminal.refuse(refusal, false);
            return refusal.code().exitCode();
        } catch (RuntimeException broken) {
            // As picocli does; otherwise threads of a gateway would keep the process.
            Thread own = Thread.currentThread();
            own.getUncaughtExceptionHandler().uncaughtException(own, broken);
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private static <N> N number(String text, Function<String, N> read) {
        try {
            return read.apply(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    /** Prints the error, a suggestion, and how to get help, since the whole help would hide them. */
    private int handleWrongUsage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        terminal.note(String.valueOf(wrong.getMessage()));
        UnmatchedArgumentException.printSuggestions(wrong, command.getErr());
        terminal.note("'" + command.getCommandSpec().qualifiedName() + " --help' shows how it is used");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** For wrong usage that only the gateway can detect; the command throws it: exit code 2. */
    ParameterException wrongUsage(String why) {
        CommandLine used = Objects.requireNonNull(spec).commandLine();
        return new ParameterException(
                used.getParseResult().subcommand().commandSpec().commandLine(), why);
    }

    private int handleFailure(Exception failure) throws Exception {
        if (failure instanceof BrigException refusal) {
            boolean hasCommands = !json && refusal.code() == ErrorCode.MODEL_ROUTE_MISSING;
            terminal.refuse(
                    hasCommands ? new BrigException(refusal.code(), context().commands(refusal.getMessage())) : refusal,
                    json);
            return refusal.code().exitCode();
        }
        throw failure;
    }

    /** Without a command. */
    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!OverviewScreen.isPossible(this)) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "Missing required subcommand");
        }
        return OverviewScreen.run(this);
    }

    CommandContext context() {
        return new CommandContext(terminal, configFile);
    }

    /** Prints the gateway's answer: unchanged with {@code --json}, else with {@code print}. */
    <T> JsonObject show(SpawnerRequest request, Class<T> type, Consumer<T> print) {
        try (GatewayClient client = context().connect()) {
            return show(client, request, type, print);
        }
    }

    /** The same, from an embedded worker-agent where no gateway runs. */
    <T> JsonObject showOrEmbed(SpawnerRequest request, Class<T> type, Consumer<T> print) {
        try (CommandContext.Connection connection = context().connectOrEmbed()) {
            return show(connection.client(), request, type, print);
        }
    }

    private <T> JsonObject show(GatewayClient client, SpawnerRequest request, Class<T> type, Consumer<T> print) {
        JsonObject answer = client.request(request);
        if (json) {
            terminal.json(answer);
        } else {
            print.accept(answer.as(type));
        }
        return answer;
    }

    /** What follows {@code brig} on the command line. */
    List<String> words() {
        return words;
    }

    Terminal terminal() {
        return terminal;
    }

    boolean json() {
        return json;
    }

    static String age(long sinceMs) {
        Duration age = Duration.ofMillis(Math.max(System.currentTimeMillis() - sinceMs, 0));
        return age.toHours() > 0
                ? age.toHours() + "h" + age.toMinutesPart() + "m"
                : age.toMinutes() > 0 ? age.toMinutes() + "m" + age.toSecondsPart() + "s" : age.toSeconds() + "s";
    }

    @Command(
            description = "List the agents that can be run, and the policies that a session may choose.",
            mixinStandardHelpOptions = true)
    int agents(
            @Option(
                            names = {"-q", "--quiet"},
                            description = "Only print the names of agents, one per line.")
                    boolean quiet) {
        showOrEmbed(new SpawnerRequest.Agents(), HelloAnswer.class, offers -> {
            if (quiet) {
                offers.agents().forEach(agent -> terminal.println(agent.name()));
            } else {
                print(offers);
            }
        });
        return 0;
    }

    private void print(HelloAnswer offers) {
        terminal.table(
                List.of("AGENT", "POLICY", "STATE", "DESCRIPTION"),
                offers.agents().stream()
                        .map(agent -> List.of(
                                agent.name(),
                                agent.policy(),
                                agent.state().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                                agent.description()))
                        .toList());
        terminal.println("");
        terminal.table(
                List.of("POLICY", "DESCRIPTION"),
                offers.policies().stream()
                        .map(policy -> List.of(policy.name(), policy.description()))
                        .toList());
        offers.agents().stream()
                .filter(agent -> agent.problem() != null)
                .forEach(agent ->
                        terminal.lines("\n" + agent.name() + ": " + context().commands(agent.problem())));
        offers.faults().forEach(fault -> terminal.lines("\n" + fault));
    }

    @Command(
            description = "Print the changes of a session in its worktree or copy, or how another one differs from it.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Works for sessions that were started with --repository or --copy, also after they have ended.",
                "Two sessions can be compared whose worktrees began at the same commit, as those of forks do.",
                "",
                "Examples:",
                "  brig diff my-task | git apply",
                "  brig diff left right --stat   which files differ between two forks"
            })
    int diff(
            @Parameters(index = "0", paramLabel = "ID", description = "The spawn_id or task_id of the session.")
                    String id,
            @Parameters(
                            index = "1",
                            arity = "0..1",
                            paramLabel = "OTHER",
                            description = "Another session: print how it differs from ID.")
                    @Nullable
                    String other,
            @Option(names = "--stat", description = "Print only which files differ, and by how many lines.")
                    boolean stat,
            @Mixin RawOption raw) {
        raw.apply(terminal);
        showOrEmbed(new SpawnerRequest.Diff(id, other, stat), DiffAnswer.class, diff -> {
            terminal.verbatim(diff.diff());
            if (diff.truncated()) {
                terminal.note("cut off: all of it is in " + diff.workspace());
            }
        });
        return 0;
    }

    @Command(
            description = "List the worktrees and copies that are kept because they have changes.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "'brig diff ID' shows the changes. 'brig discard ID' removes them with the workspace. They "
                        + "are removed automatically after worker.keptWorkspaceMs (30 days).",
                "Kept roots are what sessions with --root-overlay keep wrote into their roots. 'brig discard ID' removes one too; "
                        + "worker.keptRoots in brig.json has their bounds."
            })
    int workspaces() {
        showOrEmbed(new SpawnerRequest.Workspaces(), WorkspacesAnswer.class, this::showWorkspaces);
        return 0;
    }

    private void showWorkspaces(WorkspacesAnswer answer) {
        terminal.table(
                List.of("TASK", "SPAWN", "KIND", "OF", "BRANCH", "HOST", "ENDED"),
                answer.workspaces().stream()
                        .map(kept -> List.of(
                                kept.taskId(),
                                kept.spawnId(),
                                kept.workspaceMode().name().toLowerCase(Locale.ROOT),
                                kept.source(),
                                kept.branch() == null ? "" : kept.branch(),
                                kept.host() == null ? "" : kept.host(),
                                age(kept.endedMs()) + " ago"))
                        .toList());
        if (!answer.roots().isEmpty()) {
            terminal.println("");
            showRoots(answer.roots());
        }
        for (String host : answer.outOfReach()) {
            terminal.note("host " + host + " is out of reach; what is kept there is not listed");
        }
    }

    private void showRoots(List<WorkspacesAnswer.KeptRoot> roots) {
        terminal.table(
                List.of("ROOT", "PROJECT", "CAPTAIN", "IMAGE", "SIZE", "HOST", "USED", "BY"),
                roots.stream()
                        .map(root -> List.of(
                                root.id(),
                                root.project(),
                                root.captain() == null ? "admins" : root.captain(),
                                root.image(),
                                root.bytes() / 1_048_576 + " MiB",
                                root.host() == null ? "" : root.host(),
                                age(root.usedMs()) + " ago",
                                root.usedBy() == null ? "" : root.usedBy()))
                        .toList());
    }

    @Command(
            aliases = "rm",
            description = "Remove kept worktrees or copies, with their changes and branches, or kept roots.",
            mixinStandardHelpOptions = true,
            footer = {"", "'brig workspaces' lists them.", "", "Example:", "  brig discard my-task"})
    int discard(
            @Parameters(
                            paramLabel = "ID",
                            arity = "1..*",
                            description = "The spawn_id or task_id of the session, or a kept root.")
                    List<String> ids) {
        try (CommandContext.Connection connection = context().connectOrEmbed()) {
            for (String id : ids) {
                if (WorkspacesAnswer.KeptRoot.isId(id)) {
                    show(
                            connection.client(),
                            new SpawnerRequest.DiscardRoot(id),
                            WorkspacesAnswer.KeptRoot.class,
                            gone -> terminal.note("discarded the kept root of " + gone.project()));
                    continue;
                }
                show(
                        connection.client(),
                        new SpawnerRequest.Discard(id),
                        DiscardAnswer.class,
                        discarded -> terminal.note("discarded " + discarded.spawnId()));
            }
        }
        return 0;
    }

    @Command(
            aliases = {"stop", "kill"},
            description = "End a session and all of its processes.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig terminate my-task"})
    int terminate(@Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.") String id) {
        show(
                new SpawnerRequest.Terminate(id),
                SpawnView.class,
                view -> terminal.note(
                        view.state().isFinal() ? view.spawnId() + " has ended" : "ending " + view.spawnId()));
        return 0;
    }

    @Command(
            description =
                    "Reconnect to a session that was given up (RECONCILE_TIMEOUT) while its agent is still running.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "The session continues under a new spawn_id, with the same task_id and tokens. 'brig terminate ID' ends the "
                        + "agent instead.",
                "",
                "Example:",
                "  brig rebind spn_01kdvw5v09s6yx3m8q2t7n4e"
            })
    int rebind(@Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.") String id) {
        show(
                new SpawnerRequest.Rebind(id),
                SpawnView.class,
                view -> terminal.note(view.spawnId() + " is " + view.state().wireName()));
        return 0;
    }

    @Command(
            description = "Check what the wall enforces on this host, what is missing, and which command fixes it.",
            mixinStandardHelpOptions = true)
    int doctor(
            @Option(
                            names = "--host",
                            paramLabel = "NAME",
                            description = "Check another host, as 'brig host check' does.")
                    @Nullable
                    String host) {
        if (host != null) {
            return HostCommand.check(this, host);
        }
        DoctorAnswer answer = showOrEmbed(
                        new SpawnerRequest.Doctor(), DoctorAnswer.class, shown -> print(shown.findings()))
                .as(DoctorAnswer.class);
        return answer.findings().stream().anyMatch(finding -> finding.status() == FindingStatus.FAIL) ? 1 : 0;
    }

    void print(List<Finding> findings) {
        terminal.table(
                List.of("CHECK", "STATUS", "DETAIL"),
                findings.stream()
                        .map(finding -> List.of(finding.name(), finding.status().wireName(), finding.detail()))
                        .toList());
        findings.stream()
                .filter(finding -> finding.mend() != null)
                .forEach(finding ->
                        terminal.lines("\n" + finding.name() + ": " + context().commands(finding.mend())));
    }

    @Command(name = "version", description = "Print the version.", mixinStandardHelpOptions = true)
    int printVersion() {
        terminal.println(version());
        return 0;
    }

    static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return "brig " + (version == null ? "development" : version);
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {version()};
        }
    }
}
