package brig.cli;

import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TreeView;
import brig.protocol.frame.AttachOptions;
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
            "Examples:",
            "  brig logs build",
            "  brig logs -f --json build",
            "  brig logs --agent a60f44d2a0df56958 build"
        })
final class LogsCommand implements Callable<Integer> {
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
            for (byte[] line = client.nextLine(); line != null; line = client.nextLine()) {
                // Filtered here, not by the gateway, because the last available frame ends this command.
                printer.print(
                        line,
                        wanted == null || FrameOwner.read(line, 0, line.length).isFor(wanted));
                if (!follow && printer.lastSeq() >= last) {
                    break;
                }
            }
        }
        return 0;
    }
}
