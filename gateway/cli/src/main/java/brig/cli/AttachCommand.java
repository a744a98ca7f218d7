package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TreeView;
import brig.protocol.control.AskAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig attach}. */
@Command(
        name = "attach",
        description = "Follow a session. Each line of standard input is sent to it as a message.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Several clients may attach at once. Ctrl-C detaches; the session continues.",
            "On a terminal, what the agent asks is shown with numbers. A line that is such a number answers.",
            "With --tty each key goes to the agent's own terminal; ctrl-p ctrl-q detaches.",
            "",
            "Examples:",
            "  brig attach build",
            "  brig attach --wait build",
            "  brig attach --tty fix",
            "  echo 'make test' | brig attach build",
            "  brig attach --from 100 --json build",
            "  brig attach --agent a60f44d2a0df56958 build"
        })
final class AttachCommand implements Callable<Integer> {
    /** Shorter than the gateway's hint for programs: a person would notice five seconds. */
    private static final long LOOK_AGAIN_MS = 200;

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Option(names = "--from", paramLabel = "SEQ", description = "The first frame to show.", defaultValue = "1")
    private long from = 1;

    @Option(
            names = "--agent",
            paramLabel = "AGENT_ID",
            description =
                    "Only the output of this sub-agent; 'main' is the agent itself. 'brig tree --json ID' lists the ids.")
    private @Nullable String agent;

    @Option(names = "--wait", description = "Wait until the session runs instead of exiting with 3.")
    private boolean wait;

    @Option(names = "--tty", description = "Show the agent's own terminal, and send each key to it.")
    private boolean tty;

    @Mixin
    private DetachOption detach = new DetachOption();

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws InterruptedException {
        raw.apply(main.terminal());
        if (tty) {
            TtyClient.requireTerminal(main);
            if (agent != null || from != 1 || main.json()) {
                throw main.wrongUsage("--tty goes with none of --agent, --from and --json");
            }
        }
        while (true) {
            try {
                return tty ? TtyClient.attach(main, id, detach.keys()) : attach();
            } catch (BrigException refusal) {
                if (!wait || refusal.code() != ErrorCode.SESSION_NOT_READY) {
                    throw refusal;
                }
                Thread.sleep(LOOK_AGAIN_MS);
            }
        }
    }

    /** Attaches to a session as the command without options does. */
    static int follow(Main main, String id) {
        AttachCommand attach = new AttachCommand();
        attach.main = main;
        attach.id = id;
        return attach.attach();
    }

    private int attach() {
        try (GatewayClient client = main.context().connect()) {
            StreamPrinter printer = new StreamPrinter(main.terminal(), main.json());
            AskPrompts prompts = new AskPrompts(main.terminal(), InstantSource.system(), this::answer);
            if (AskPrompts.arePossible()) {
                printer.promptWith(prompts);
            }
            String only = null;
            if (agent != null) {
                only = TreeDrawing.agentOf(client.request(new SpawnerRequest.Tree(id), TreeView.class), agent);
                printer.expectOnly(only);
            }
            boolean drawn = !main.json()
                    && main.terminal().isLive()
                    && client.request(new SpawnerRequest.Status(id), SpawnView.class)
                            .tty();
            if (drawn) {
                main.terminal()
                        .note("the agent draws on a terminal of its own: '"
                                + main.context().command("attach") + " --tty " + id + "' shows it as it is");
            }
            client.send(
                    new SpawnerRequest.Attach(id, new AttachOptions(from, null, false, SpawnOptions.CLIENT, only, 0)));
            byte[] line = client.nextLine();
            if (line != null) {
                // A refusal is reported before standard input is read.
                printer.print(line);
                sayWhetherOver(line);
                Thread.ofVirtual().start(() -> sendLines(client, prompts));
            }
            for (line = client.nextLine(); line != null; line = client.nextLine()) {
                printer.print(line);
                if (client.isDrained()) {
                    printer.showAsks();
                }
            }
            return printer.exitCode();
        }
    }

    /** An ended session is shown too, but accepts no messages. */
    private void sayWhetherOver(byte[] welcome) {
        if (!main.json()
                && ConnectionLine.read(JsonObject.read(welcome)) instanceof ConnectionLine.Authenticated line
                && isOver(line.state())) {
            main.terminal().note("the session has ended: this is what it said");
        }
    }

    private static boolean isOver(String state) {
        return Arrays.stream(SpawnState.values())
                .anyMatch(one -> one.isFinal() && one.wireName().equals(state));
    }

    private void answer(SpawnerRequest.AnswerAsk answer) {
        try (GatewayClient another = main.context().connect()) {
            another.request(answer, AskAnswer.class);
        }
    }

    private static void sendLines(GatewayClient client, AskPrompts prompts) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank() && !prompts.take(line)) {
                    client.send(CaptainLine.UserMessage.of(line, null));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
