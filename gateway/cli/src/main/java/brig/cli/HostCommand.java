package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import brig.protocol.api.HostState;
import brig.protocol.api.HostView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig host}: other hosts that sessions may run on.
 *
 * <p>Decision 0159.
 */
@Command(
        name = "host",
        description = "Add, list, check and remove the hosts that sessions may run on.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Brig reaches a host by ssh and brings there what it needs. Nothing of it needs root there.",
            "",
            "Examples:",
            "  brig host add build1 ci@build1.example.org --label gpu",
            "  brig host list                         the hosts, and what is wrong with them",
            "  brig host check build1                 what the host lacks, and how to get it",
            "  brig run claude --host build1 -- 'Fix the tests'",
            "  brig run claude --on gpu -- 'Train it'"
        })
final class HostCommand {
    private static final long POLL_MS = 300;

    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Add a host, or change one that was added, and wait until sessions can run there.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "If ssh has questions (the host's key, a passphrase), it asks them here and now. Brig's gateway answers none, so",
                "afterwards ssh must work by itself: with a key without a passphrase, a running ssh-agent, or --control-path.",
                "Exits with 0 if the host is up, with 1 if it cannot be reached or lacks something, with 2 for wrong usage.",
                "",
                "Examples:",
                "  brig host add build1 ci@build1.example.org",
                "  brig host add gpu1 ml@gpu1 --label gpu --label cuda12 --workers-max 8",
                "  brig host add lab lab@lab.example.org -- -p 2222 -i ~/.ssh/lab",
                "  brig host add vault me@vault --control-path ~/.ssh/vault.sock    over an ssh -M that you run yourself",
                "  brig host add web1 me@web1 --tunnel-only                         for brig tunnel; nothing is installed there"
            })
    int add(
            @Parameters(index = "0", paramLabel = "NAME", description = "How it is called here: a-z, 0-9 and -.")
                    String name,
            @Parameters(index = "1", paramLabel = "TARGET", description = "user@host, or a name of ssh_config.")
                    String target,
            @Parameters(
                            index = "2..*",
                            arity = "0..*",
                            paramLabel = "SSH_OPTION",
                            description = "Further options of ssh, behind --.")
                    @Nullable
                    List<String> options,
            @Option(names = "--label", paramLabel = "L", description = "A label, by which 'brig run --on L' finds it.")
                    @Nullable
                    List<String> labels,
            @Option(
                            names = "--workers-max",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "Maximum number of its sessions. Default: no limit of its own.")
                    int workersMax,
            @Option(
                            names = "--egress",
                            defaultValue = "home",
                            description =
                                    "Where network requests of its sessions leave: home, with the keys and rules of this"
                                            + " gateway's host, or there, with those of that host. Default: home.")
                    String egress,
            @Option(
                            names = "--idle-exit-minutes",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "How long Brig stays there without sessions and without this gateway.")
                    int idleExitMinutes,
            @Option(
                            names = "--control-path",
                            paramLabel = "PATH",
                            defaultValue = "",
                            description = "The control socket of an ssh that you run with -M, in place of Brig's own.")
                    String controlPath,
            @Option(
                            names = "--tunnel-only",
                            description =
                                    "For 'brig tunnel' alone: nothing is brought there, and no session runs there.")
                    boolean tunnelOnly) {
        HostSettings settings = usage(() -> {
            HostSettings.requireName(name);
            return new HostSettings(
                    target,
                    options == null ? List.of() : options,
                    labels == null ? List.of() : labels,
                    workersMax,
                    egress(egress),
                    idleExitMinutes,
                    controlPath,
                    tunnelOnly);
        });
        if (settings.controlPath().isEmpty() && !logsIn(name, settings)) {
            return 1;
        }
        try (GatewayClient client = main.context().connect()) {
            client.request(new SpawnerRequest.AddHost(name, settings), HostView.class);
            return await(client, name);
        }
    }

    private <T> T usage(Supplier<T> made) {
        try {
            return made.get();
        } catch (BrigException e) {
            throw main.wrongUsage(e.getMessage());
        }
    }

    private static HostEgress egress(String word) {
        return switch (word) {
            case "there" -> HostEgress.THERE;
            case "home" -> HostEgress.HOME;
            default -> throw BrigException.invalid("--egress", "must be there or home");
        };
    }

    /** Lets ssh ask its questions, and checks that it has none left. Another user's gateway has other keys. */
    private boolean logsIn(String name, HostSettings settings) {
        CommandContext context = main.context();
        if (context.remote() != null) {
            main.terminal().note("the gateway is on another host: ssh runs there, as the gateway's user");
            return true;
        }
        String other = context.otherOwner();
        if (other != null) {
            main.terminal()
                    .note("the gateway runs as " + other
                            + ", and so does its ssh: that user's keys and known hosts count."
                            + " To have ssh ask its questions: sudo -u " + other + " brig host add " + name + " ...");
            return true;
        }
        SshLogin login = new SshLogin(settings, main.terminal());
        String failure = login.tryQuietly();
        if (failure == null) {
            return true;
        }
        if (login.canAsk()) {
            main.terminal().note("ssh " + settings.ssh() + " cannot log in by itself, so it may ask you:");
            if (!login.askPerson()) {
                main.terminal().note("ssh did not log in; nothing was added");
                return false;
            }
            failure = login.tryQuietly();
        }
        if (failure != null) {
            main.terminal().note("ssh cannot log in without a question: " + failure);
            main.terminal()
                    .note(
                            "use a key without a passphrase, a running ssh-agent (ssh-add), or --control-path; nothing was added");
        }
        return failure == null;
    }

    /** Shows how the link goes, until it is up or failed. */
    private int await(GatewayClient client, String name) {
        String shown = "";
        while (true) {
            HostView host = one(client, name);
            String now = host.state().name().toLowerCase(Locale.ROOT)
                    + (host.percent() == null ? "" : " " + host.percent() / 10 * 10 + " %");
            if (!now.equals(shown) && !main.json()) {
                main.terminal().note(name + ": " + now);
            }
            shown = now;
            if (host.state() == HostState.UP || host.state() == HostState.DOWN || host.state() == HostState.UNFIT) {
                return end(host);
            }
            try {
                Thread.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BrigException(ErrorCode.INTERNAL, "interrupted");
            }
        }
    }

    private static HostView one(GatewayClient client, String name) {
        return client.request(new SpawnerRequest.Hosts(), HostView.HostList.class).hosts().stream()
                .filter(host -> host.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "host " + name + " was removed meanwhile"));
    }

    private int end(HostView host) {
        if (main.json()) {
            main.terminal().json(host);
        } else {
            printWhy(host);
        }
        return host.state() == HostState.UP ? 0 : 1;
    }

    private void printWhy(HostView host) {
        if (host.reason() != null) {
            main.terminal().note(host.name() + ": " + host.reason());
        }
        if (host.mend() != null) {
            main.terminal().note(host.name() + ": " + main.context().commands(host.mend()));
        }
    }

    @Command(
            aliases = "ls",
            description = "List the hosts, and why one cannot be used.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Examples:",
                "  brig host list",
                "  brig host list --json | jq '.hosts[] | select(.state != \"up\")'"
            })
    int list() {
        main.show(new SpawnerRequest.Hosts(), HostView.HostList.class, answer -> {
            main.terminal()
                    .table(
                            List.of("HOST", "SSH", "STATE", "SESSIONS", "LABELS", "EGRESS", "VERSION"),
                            answer.hosts().stream().map(HostCommand::row).toList());
            answer.hosts().forEach(this::printWhy);
        });
        return 0;
    }

    private static List<String> row(HostView host) {
        String state = host.state().name().toLowerCase(Locale.ROOT) + (host.tunnelOnly() ? ", tunnels only" : "");
        return List.of(
                host.name(),
                host.ssh() == null ? "" : host.ssh(),
                host.percent() != null
                        ? state + " " + host.percent() + " %"
                        : host.retryS() != null ? state + ", again in " + host.retryS() + " s" : state,
                host.workersMax() == 0 ? String.valueOf(host.workers()) : host.workers() + " of " + host.workersMax(),
                String.join(" ", host.labels()),
                host.egress().name().toLowerCase(Locale.ROOT),
                host.version() == null ? "" : host.version());
    }

    @Command(
            description = "Check a host and the link to it: what is missing, and which command fixes it.",
            mixinStandardHelpOptions = true,
            footer = {"", "Exits with 1 if something is missing.", "", "Example:", "  brig host check build1"})
    int check(@Parameters(paramLabel = "NAME", description = "The name of the host.") String name) {
        return check(main, name);
    }

    /** {@code brig doctor --host NAME} does the same. */
    static int check(Main main, String name) {
        JsonObject answer = main.show(
                new SpawnerRequest.CheckHost(name), DoctorAnswer.class, shown -> main.print(shown.findings()));
        List<Finding> findings = answer.as(DoctorAnswer.class).findings();
        return findings.stream().anyMatch(finding -> finding.status() == FindingStatus.FAIL) ? 1 : 0;
    }

    @Command(
            name = "rm",
            description = "Remove a host that was added. What Brig brought there stays in ~/.brig.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig host rm build1"})
    int remove(
            @Parameters(paramLabel = "NAME", description = "The name of the host.") String name,
            @Option(names = "--force", description = "Also if sessions live there. They go on, and nobody reads them.")
                    boolean force) {
        main.show(
                new SpawnerRequest.RemoveHost(name, force),
                HostView.class,
                host -> main.terminal().note("removed " + host.name()));
        return 0;
    }

    @Command(
            description = "Bring the version of this gateway to a host. Sessions there go on.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "A worker-agent that has sessions is replaced when it has none: run the command again then.",
                "",
                "Example:",
                "  brig host upgrade build1"
            })
    int upgrade(@Parameters(paramLabel = "NAME", description = "The name of the host.") String name) {
        try (GatewayClient client = main.context().connect()) {
            client.request(new SpawnerRequest.UpgradeHost(name), HostView.class);
            return await(client, name);
        }
    }
}
