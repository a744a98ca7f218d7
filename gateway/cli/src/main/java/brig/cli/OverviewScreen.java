package brig.cli;

import brig.cli.terminal.FullScreen;
import brig.cli.terminal.RawTerminal;
import brig.cli.terminal.StyledLine;
import brig.cli.terminal.Terminal;
import brig.cli.terminal.TypedKey;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.AskChange;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.HelloAnswer;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code brig} without a command, on a terminal: an {@link Overview} that follows the gateway, and what a person starts from
 * there. Asks and sessions are pushed. Sessions are taken while a person is elsewhere too, where nothing is drawn for long.
 *
 * <p>Decisions 0187, 0191.
 */
final class OverviewScreen {
    private static final int EVENTS_MAX = 256;
    private static final long KEYS_MS = 20;
    /** Ages are shown in seconds. */
    private static final long TICK_MS = 1_000;

    private final Main main;
    private final FullScreen screen;
    private final GatewayClient requests;
    private final Overview overview;
    private final FollowedAsks asks = new FollowedAsks();
    private final FollowedSessions sessions = new FollowedSessions();
    /** The sessions as they are now; null if that is shown. */
    private final AtomicReference<@Nullable List<SpawnView>> listed = new AtomicReference<>();
    /** What the gateway tells of asks; empty at the end of the connection. */
    private final BlockingQueue<JsonObject> told = new LinkedBlockingQueue<>(EVENTS_MAX);
    /** Whether it is to be drawn again. */
    private final AtomicBoolean due = new AtomicBoolean(true);

    private OverviewScreen(Main main, FullScreen screen, GatewayClient requests) {
        this.main = main;
        this.screen = screen;
        this.requests = requests;
        this.overview = new Overview(main.terminal().isColoured());
    }

    /** Whether a person is there to see it, on a terminal that draws. */
    static boolean isPossible(Main main) {
        return !main.json() && Terminal.isTerminal(0) && Terminal.isTerminal(1) && !Terminal.isDumb();
    }

    /** Shows it until the person leaves. */
    static int run(Main main) throws IOException, InterruptedException {
        try (GatewayClient requests = main.context().connect();
                GatewayClient follower = main.context().connect();
                GatewayClient lists = main.context().connect()) {
            follower.send(new SpawnerRequest.FollowAsks(null));
            lists.send(new SpawnerRequest.FollowSessions(0));
            RawTerminal.ignoreInterrupts();
            try (FullScreen screen = FullScreen.take(main.terminal())) {
                OverviewScreen shown = new OverviewScreen(main, screen, requests);
                shown.takeSessions(lists.nextLine());
                Thread.ofVirtual().start(() -> shown.followSessions(lists));
                Thread.ofVirtual().start(() -> shown.follow(follower));
                shown.loop();
            }
        } catch (BrigException refusal) {
            throw refusal.code() == ErrorCode.SHUTTING_DOWN
                    ? new BrigException(
                            refusal.code(),
                            refusal.getMessage() + "; its sessions may go on: 'brig' shows them once it is back")
                    : refusal;
        }
        return 0;
    }

    private void followSessions(GatewayClient lists) {
        try {
            for (byte[] line = lists.nextLine(); line != null; line = lists.nextLine()) {
                takeSessions(line);
            }
        } catch (BrigException refusal) {
            // The connection of the asks ends too, which is told.
            return;
        }
    }

    private void takeSessions(byte @Nullable [] line) {
        if (line == null) {
            throw closed();
        }
        JsonObject change = JsonObject.read(line);
        GatewayClient.requireNoError(change);
        sessions.take(change.as(SessionChange.class));
        listed.set(sessions.live());
    }

    private static BrigException closed() {
        return new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway closed the connection");
    }

    private void follow(GatewayClient follower) {
        try {
            for (byte[] line = follower.nextLine(); line != null; line = follower.nextLine()) {
                told.put(JsonObject.read(line));
            }
            told.put(JsonObject.EMPTY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() throws IOException, InterruptedException {
        // What was typed before anything was shown is meant for nothing that is.
        screen.keys(System.in);
        long drawnNs = System.nanoTime();
        screen.whenChanged(() -> due.set(true));
        while (true) {
            List<SpawnView> news = listed.getAndSet(null);
            if (news != null) {
                overview.takeSessions(news);
            }
            if (due.getAndSet(false)
                    || news != null
                    || System.nanoTime() - drawnNs > TimeUnit.MILLISECONDS.toNanos(TICK_MS)) {
                drawnNs = System.nanoTime();
                screen.draw(overview.lines(screen.size().rows(), System.currentTimeMillis()));
            }
            JsonObject change = told.poll(KEYS_MS, TimeUnit.MILLISECONDS);
            if (change != null) {
                take(change);
                due.set(true);
            }
            for (TypedKey key : screen.keys(System.in)) {
                due.set(true);
                if (!fulfil(overview.press(key))) {
                    return;
                }
            }
        }
    }

    private void take(JsonObject change) {
        if (change.isEmpty()) {
            throw closed();
        }
        GatewayClient.requireNoError(change);
        asks.take(change.as(AskChange.class));
        overview.takeAsks(asks.open());
    }

    /** @return whether to go on */
    private boolean fulfil(Overview.Wish wish) throws IOException, InterruptedException {
        try {
            switch (wish) {
                case Overview.Wish.Attach(SpawnView session) -> attach(session.spawnId(), session.tty());
                case Overview.Wish.Diff(SpawnView session) -> diff(session);
                case Overview.Wish.Answer(String askId, String option) -> {
                    requests.request(
                            new SpawnerRequest.AnswerAsk(askId, option, null, SpawnOptions.CLIENT), AskAnswer.class);
                    overview.say("answered: " + option);
                }
                case Overview.Wish.Start _ -> start();
                case Overview.Wish.Nothing _ -> {}
                case Overview.Wish.Quit _ -> {
                    return false;
                }
            }
        } catch (BrigException refusal) {
            if (refusal.code() == ErrorCode.SHUTTING_DOWN) {
                throw refusal;
            }
            overview.say(refusal.getMessage() + " (" + refusal.code() + ")");
        }
        return true;
    }

    private void attach(String spawnId, boolean tty) {
        lend(tty ? List.of("attach", "--tty", spawnId) : List.of("attach", spawnId));
    }

    /** Runs a command of this program on the terminal. */
    private void lend(List<String> words) {
        List<String> command = Stream.of(
                        List.of(main.context().program().toString()),
                        words,
                        main.context().options())
                .flatMap(List::stream)
                .toList();
        screen.lend(() -> {
            try {
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.INHERIT)
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start()
                        .waitFor();
            } catch (IOException e) {
                overview.say("it cannot be shown: " + Reason.of(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void diff(SpawnView session) throws IOException, InterruptedException {
        DiffAnswer diff = requests.request(new SpawnerRequest.Diff(session.spawnId()), DiffAnswer.class);
        if (diff.diff().isEmpty()) {
            overview.say("it has changed nothing");
            return;
        }
        List<String> lines = new ArrayList<>(diff.diff().lines().toList());
        if (diff.truncated()) {
            lines.add("cut off: all of it is in " + diff.workspace());
        }
        page("Changes of " + session.taskId(), lines);
    }

    /** Shows lines until a key says that it is enough. */
    private void page(String title, List<String> lines) throws IOException, InterruptedException {
        Pages pages = new Pages(title, lines, main.terminal().isColoured());
        while (true) {
            screen.draw(pages.lines(screen.size().rows()));
            for (TypedKey key : awaitKeys()) {
                if (!pages.press(key)) {
                    return;
                }
            }
        }
    }

    private List<TypedKey> awaitKeys() throws IOException, InterruptedException {
        List<TypedKey> keys = screen.keys(System.in);
        if (keys.isEmpty()) {
            Thread.sleep(KEYS_MS);
        }
        return keys;
    }

    /** Lets the person choose an agent, and shows it. */
    private void start() throws IOException, InterruptedException {
        List<AgentOffer> ready = requests.request(new SpawnerRequest.Agents(), HelloAnswer.class).agents().stream()
                .filter(agent -> agent.state() == AgentOffer.State.READY)
                .toList();
        AgentOffer agent = choose(ready);
        if (agent != null && agent.tty()) {
            lend(List.of("run", "--tty", agent.name()));
        } else if (agent != null) {
            overview.say(agent.name() + " takes messages: brig run " + agent.name() + " -- 'MESSAGE'");
        }
    }

    private @Nullable AgentOffer choose(List<AgentOffer> agents) throws IOException, InterruptedException {
        int at = 0;
        while (!agents.isEmpty()) {
            screen.draw(choices(agents, at));
            for (TypedKey key : awaitKeys()) {
                switch (key.kind()) {
                    case UP -> at = Math.max(0, at - 1);
                    case DOWN -> at = Math.min(agents.size() - 1, at + 1);
                    case ENTER -> {
                        return agents.get(at);
                    }
                    case ESCAPE, LEAVE -> {
                        return null;
                    }
                    case CHARACTER -> {
                        if (key.is('q')) {
                            return null;
                        }
                    }
                    case ERASE, PAGE_UP, PAGE_DOWN, HOME, END, OTHER -> {}
                }
            }
        }
        overview.say("no agent is ready: brig agents");
        return null;
    }

    private static List<StyledLine> choices(List<AgentOffer> agents, int at) {
        List<StyledLine> lines = new ArrayList<>();
        lines.add(StyledLine.of("Start which agent? ↑↓ choose · Enter start · Esc back"));
        lines.add(StyledLine.of(""));
        for (int i = 0; i < agents.size(); i++) {
            AgentOffer agent = agents.get(i);
            lines.add(StyledLine.of((i == at ? "> " : "  ") + TreeDrawing.cut(agent.name(), 24) + "  "
                    + TreeDrawing.cut(agent.description(), 200)));
        }
        return lines;
    }
}
