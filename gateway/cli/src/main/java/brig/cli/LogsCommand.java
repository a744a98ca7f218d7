package brig.cli;

import brig.cli.tty.TerminalText;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TreeView;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameOwner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig logs}. */
@Command(
        name = "logs",
        description = "Print the output of a session, also after it has ended.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Of an agent with a terminal: what is on its screen and was scrolled off, as text. With -f its text as it comes.",
            "",
            "Examples:",
            "  brig logs build",
            "  brig logs -f --json build",
            "  brig logs --agent a60f44d2a0df56958 build"
        })
final class LogsCommand implements Callable<Integer> {
    private static final String AGENT = "agent";

    @ParentCommand
    private Main main = new Main();

    @Option(
            names = {"-f", "--follow"},
            description = "Continue until the session ends.")
    private boolean follow;

    @Option(names = "--from", paramLabel = "SEQ", description = "The first frame to show.", defaultValue = "1")
    private long from;

    @Option(
            names = "--agent",
            paramLabel = "AGENT_ID",
            description =
                    "Only the output of this sub-agent; 'main' is the agent itself. 'brig tree --json ID' lists the ids.")
    private @Nullable String agent;

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() {
        raw.apply(main.terminal());
        try (GatewayClient client = main.context().connect()) {
            long last = client.request(new SpawnerRequest.Status(id), SpawnView.class)
                    .lastSeq();
            if (!follow && last < from) {
                return 0;
            }
            String wanted = agent == null
                    ? null
                    : TreeDrawing.agentOf(client.request(new SpawnerRequest.Tree(id), TreeView.class), agent);
            client.send(new SpawnerRequest.Attach(id, AttachOptions.toWatch(from)));
            StreamPrinter printer = new StreamPrinter(main.terminal(), main.json());
            if (wanted != null) {
                printer.expectOnly(wanted);
            }
            TerminalText text = new TerminalText();
            boolean ofScreen = !follow && !main.json() && !raw.isGiven();
            for (byte[] line = client.nextLine(); line != null; line = client.nextLine()) {
                // Filtered here, not by the gateway, because the last available frame ends this command.
                printer.print(
                        line,
                        !(ofScreen && isOfTerminal(text, line))
                                && (wanted == null
                                        || FrameOwner.read(line, 0, line.length).isFor(wanted)));
                if (!follow && printer.lastSeq() >= last) {
                    break;
                }
            }
            text.lines().forEach(line -> main.terminal().content(AGENT, line + "\n"));
        }
        return 0;
    }

    private static boolean isOfTerminal(TerminalText text, byte[] line) {
        JsonObject whole = JsonObject.read(line);
        return whole.has("seq") && text.take(whole.as(NumberedFrame.class).frame());
    }
}
