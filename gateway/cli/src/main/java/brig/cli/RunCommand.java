package brig.cli;

import brig.cli.terminal.Spinner;
import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig run}.
 *
 * <p>Decisions 0018, 0126, 0198.
 */
@Command(
        name = "run",
        description = "Run an agent on one message behind the wall, stream its output, and exit with its code.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Uses the running gateway, or starts one for this run. Without a MESSAGE, the message is read from standard "
                    + "input, unless that is a terminal. An agent that needs a message is not started without one: exit code 2.",
            "On a terminal, what the agent asks is shown with numbers. A line that is such a number answers.",
            "With --tty the agent's own terminal program is shown here; ctrl-p ctrl-q leaves, and the session goes on.",
            "",
            "Examples:",
            "  brig run shell -- 'make test'",
            "  brig run --tty claude",
            "  brig run shell < script.sh",
            "  brig run --json demo-writer -- hello there"
        })
final class RunCommand implements Callable<Integer> {
    /** What ended sessions left. */
    static final SpawnerRequest KEPT = new SpawnerRequest.Workspaces();

    @ParentCommand
    private Main main = new Main();

    @Mixin
    private SpawnOptions options = new SpawnOptions();

    @Mixin
    private RawOption raw = new RawOption();

    @Mixin
    private DetachOption detach = new DetachOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        if (options.tty()) {
            return runTerminal();
        }
        return stream(main, options.agent(), options.request(message(options.message()), true), spawnId -> {});
    }

    private int runTerminal() {
        TtyClient.requireTerminal(main);
        if (options.message() != null) {
            throw main.wrongUsage("an agent on a terminal takes no message: run it without one, and type there");
        }
        return TtyClient.run(main, options.request(null, false), detach.keys());
    }

    /** Sends the request, and prints the output until the spawn has ended. */
    static int stream(Main main, String agent, SpawnerRequest.Spawn request, Consumer<String> spawned)
            throws IOException {
        Spinner spinner = main.terminal().spinner("waiting for " + agent);
        try (spinner;
                CommandContext.Connection connection = main.context().connectOrEmbed()) {
            GatewayClient client = connection.client();
            boolean silent = "".equals(request.request().prompt());
            if (silent && needsMessage(client, agent)) {
                throw main.wrongUsage("the agent '" + agent + "' needs a message, such as: "
                        + main.context().command("run") + " " + agent + " -- 'MESSAGE'");
            }
            String spawnId = client.request(request, SpawnAnswer.class).spawnId();
            spawned.accept(spawnId);
            AtomicBoolean ended = new AtomicBoolean();
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("brig-interrupt").unstarted(() -> {
                        if (!ended.get()) {
                            client.send(new CaptainLine.Terminate());
                        }
                    }));
            client.send(new SpawnerRequest.Attach(spawnId, AttachOptions.NONE));
            StreamPrinter printer = new StreamPrinter(main.terminal(), main.json(), true, spinner::close);
            if (AskPrompts.arePossible() && !main.json()) {
                printer.promptWith(prompts(main, connection));
            }
            for (byte[] line = client.nextLine(); line != null; line = client.nextLine()) {
                printer.print(line);
                if (client.isDrained()) {
                    printer.showAsks();
                }
                ended.compareAndSet(false, printer.isEnded());
            }
            boolean wasCut = !ended.getAndSet(true);
            if (wasCut) {
                throw new BrigException(
                        ErrorCode.WORKER_AGENT_UNAVAILABLE,
                        "the gateway is gone; the worker may go on: '"
                                + main.context().command("logs") + " -f " + spawnId + "' once it is back");
            }
            if (silent && !printer.hasSaid() && !main.json()) {
                main.terminal().note("there was no message, and so nothing to do: brig run " + agent + " -- 'MESSAGE'");
            }
            if (mayKeep(request) && !main.json()) {
                try (GatewayClient another = main.context().connectAgain(connection)) {
                    sayKept(main, spawnId, another.request(KEPT, WorkspacesAnswer.class));
                }
            }
            return printer.exitCode();
        }
    }

    /** Whether such a session may leave changes in a workspace of its own. */
    static boolean mayKeep(SpawnerRequest.Spawn request) {
        return request.request().workspaceMode() != WorkspaceMode.FOLDER;
    }

    /** Names the commands for what an ended session left. */
    static void sayKept(Main main, String spawnId, WorkspacesAnswer kept) {
        CommandContext context = main.context();
        kept.workspaces().stream()
                .filter(one -> one.spawnId().equals(spawnId))
                .findFirst()
                .ifPresent(one -> main.terminal()
                        .note("its changes are kept: '" + context.command("diff") + " " + one.taskId()
                                + "' shows them, "
                                + (one.workspaceMode() == WorkspaceMode.COPY
                                        ? ""
                                        : "'" + context.command("apply") + " " + one.taskId() + "' takes them over, ")
                                + "'" + context.command("discard") + " " + one.taskId() + "' removes them"));
    }

    /** Prompts whose answers are read from standard input while something is asked. */
    private static AskPrompts prompts(Main main, CommandContext.Connection connection) {
        AskPrompts prompts = new AskPrompts(main.terminal(), InstantSource.system(), answer -> {
            try (GatewayClient another = main.context().connectAgain(connection)) {
                another.request(answer, AskAnswer.class);
            }
        });
        Thread.ofPlatform().daemon().name("brig-answers").start(() -> {
            try {
                prompts.readAnswers(System.in, Terminal::isInForeground);
            } catch (IOException e) {
                main.terminal().note("no more answers are taken here: " + Reason.of(e));
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        return prompts;
    }

    private static boolean needsMessage(GatewayClient client, String agent) {
        return client.request(new SpawnerRequest.Agents(), HelloAnswer.class).agents().stream()
                .anyMatch(one -> agent.equals(one.name()) && one.needsMessage());
    }

    /** The message on the command line, else from standard input. */
    static String message(@Nullable String message) throws IOException {
        if (message != null || Terminal.isTerminal(0)) {
            return message == null ? "" : message;
        }
        return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    }
}
