package brig.cli;

import brig.cli.terminal.RedrawnLines;
import brig.cli.terminal.StyledLine;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig asks}. */
@Command(
        name = "asks",
        description = "List what agents ask, over all sessions, with the command that answers.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "An ask that nobody answers gets its default when its time is over.",
            "",
            "Examples:",
            "  brig asks",
            "  brig asks -f",
            "  brig asks fix-tests",
            "  brig asks --json | jq -r '.asks[].ask_id'"
        })
final class AsksCommand implements Callable<Integer> {
    private static final int DETAIL_CHARACTERS_MAX = 400;
    private static final int LINES_MAX = 256;
    /** The remaining time is shown in seconds. */
    private static final long TICK_MS = 1_000;

    private static final String NOTHING_WAITS = "no agent waits for an answer";

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", arity = "0..1", description = "Only those of this session: its spawn_id or task_id.")
    private @Nullable String id;

    @Option(
            names = {"-f", "--follow"},
            description = "Continue: redraw the list on a terminal, print a line per change elsewhere.")
    private boolean follow;

    @Override
    public Integer call() throws InterruptedException {
        if (follow) {
            follow();
        } else {
            main.show(new SpawnerRequest.Asks(id), AskList.class, this::print);
        }
        return 0;
    }

    private void print(AskList list) {
        if (list.asks().isEmpty()) {
            main.terminal().note(NOTHING_WAITS);
        }
        long nowMs = System.currentTimeMillis();
        list.asks().stream().flatMap(view -> lines(view, nowMs).stream()).forEach(main.terminal()::println);
    }

    private void follow() throws InterruptedException {
        boolean live = !main.json() && main.terminal().isLive();
        RedrawnLines picture = main.terminal().picture(live);
        FollowedAsks asks = new FollowedAsks();
        BlockingQueue<Optional<JsonObject>> lines = new ArrayBlockingQueue<>(LINES_MAX);
        try (GatewayClient client = main.context().connect()) {
            client.send(new SpawnerRequest.FollowAsks(id));
            Thread.ofVirtual().start(() -> read(client, lines));
            while (true) {
                Optional<JsonObject> line = lines.poll(TICK_MS, TimeUnit.MILLISECONDS);
                if (line != null) {
                    JsonObject told = line.orElseThrow(
                            () -> new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway closed the connection"));
                    GatewayClient.requireNoError(told);
                    show(told, asks.take(told.as(AskChange.class)), live);
                }
                if (live) {
                    long nowMs = System.currentTimeMillis();
                    picture.draw(asks.open().stream()
                            .flatMap(view -> lines(view, nowMs).stream())
                            .map(StyledLine::of)
                            .toList());
                }
            }
        }
    }

    /** Passes on what the gateway says, and at last that it says no more. */
    static void read(GatewayClient client, BlockingQueue<Optional<JsonObject>> lines) {
        try {
            for (byte[] line = client.nextLine(); line != null; line = client.nextLine()) {
                lines.put(Optional.of(JsonObject.read(line)));
            }
            lines.put(Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(JsonObject told, List<String> sentences, boolean live) {
        if (main.json()) {
            main.terminal().json(told);
        } else if (!live) {
            sentences.forEach(main.terminal()::println);
        }
    }

    /** Who asks what, and the command that answers. */
    static List<String> lines(AskList.View view, long nowMs) {
        Frame.Ask ask = view.ask();
        long leftMs = Math.max(0, ask.deadline() - nowMs);
        return List.of(
                headline(view),
                "  " + TreeDrawing.cut(AskDetail.brief(ask.detail()), DETAIL_CHARACTERS_MAX),
                "  brig answer " + ask.askId() + " " + ask.choices() + "   (in " + leftMs / 1000 + " s: "
                        + ask.fallback() + ")");
    }

    /** {@code fix-tests (claude) asks: Bash}. */
    static String headline(AskList.View view) {
        Frame.Ask ask = view.ask();
        String agent = ask.agent() == null ? view.profile() : view.profile() + ", sub-agent " + ask.agent();
        return view.taskId() + " (" + agent + ") asks: " + ask.title();
    }
}
