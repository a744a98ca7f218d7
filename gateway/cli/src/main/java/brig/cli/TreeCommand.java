package brig.cli;

import brig.cli.terminal.RedrawnLines;
import brig.cli.terminal.StyledLine;
import brig.cli.terminal.Terminal;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TreeView;
import brig.protocol.frame.AttachOptions;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig tree}. */
@Command(
        name = "tree",
        description = "Show the agent of a session and its sub-agents as a tree, also after it has ended.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Below it is what the agents ask, also those of sessions that work for this one.",
            "With --json, and with -f if the output is not a terminal, each change prints everything again.",
            "",
            "Examples:",
            "  brig tree fix-tests",
            "  brig tree -f fix-tests",
            "  brig attach --agent $(brig tree --json fix-tests | " + "jq -r '.agents[0].agent_id') fix-tests"
        })
final class TreeCommand implements Callable<Integer> {
    /** Frames come faster than people can read. */
    private static final long REDRAW_MS = 200;

    private static final long TICK_MS = 1_000;

    @ParentCommand
    private Main main = new Main();

    @Option(
            names = {"-f", "--follow"},
            description = "Continue until the session ends.")
    private boolean follow;

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() throws InterruptedException {
        try (GatewayClient client = main.context().connect()) {
            JsonObject tree = look(client);
            RedrawnLines picture = main.terminal().picture(follow);
            draw(picture, client, tree);
            TreeView view = tree.as(TreeView.class);
            if (follow && !view.state().isFinal()) {
                try (GatewayClient stream = main.context().connect()) {
                    follow(picture, client, stream, view.lastSeq() + 1);
                }
            }
        }
        return 0;
    }

    private JsonObject look(GatewayClient client) {
        return client.request(new SpawnerRequest.Tree(id));
    }

    private void follow(RedrawnLines picture, GatewayClient client, GatewayClient stream, long from)
            throws InterruptedException {
        Semaphore news = new Semaphore(0);
        AtomicBoolean ended = new AtomicBoolean();
        stream.send(new SpawnerRequest.Attach(id, AttachOptions.toWatch(from)));
        Thread.ofVirtual().start(() -> {
            for (byte[] line = stream.nextLine(); line != null; line = stream.nextLine()) {
                if (concernsTree(line)) {
                    news.release();
                }
            }
            ended.set(true);
            news.release();
        });
        boolean live = !main.json() && main.terminal().isLive();
        boolean over = false;
        while (!over) {
            if (!live) {
                news.acquire();
            } else if (!news.tryAcquire(TICK_MS, TimeUnit.MILLISECONDS)) {
                draw(picture, client, look(client));
                continue;
            }
            if (!ended.get()) {
                Thread.sleep(REDRAW_MS);
            }
            news.drainPermits();
            over = ended.get();
            draw(picture, client, look(client));
        }
    }

    private static boolean concernsTree(byte[] line) {
        JsonObject frame = JsonObject.read(line);
        return frame.has("seq")
                && switch (FrameType.of(frame.text("type", ""))) {
                    case SUBAGENT, USAGE, SESSION, DONE, STATE, ASK, ANSWERED -> true;
                    default -> false;
                };
    }

    private void draw(RedrawnLines picture, GatewayClient client, JsonObject tree) {
        Terminal terminal = main.terminal();
        if (main.json()) {
            terminal.json(tree);
            return;
        }
        long nowMs = System.currentTimeMillis();
        Stream<String> waiting = client.request(new SpawnerRequest.Asks(id), AskList.class).asks().stream()
                .flatMap(ask -> AsksCommand.lines(ask, nowMs).stream());
        picture.draw(Stream.concat(new TreeDrawing(tree.as(TreeView.class), nowMs).lines().stream(), waiting)
                .map(StyledLine::of)
                .toList());
        if (follow && !terminal.isLive()) {
            terminal.println("");
        }
    }
}
