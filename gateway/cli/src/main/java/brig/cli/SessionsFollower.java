package brig.cli;

import brig.cli.terminal.RedrawnLines;
import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** {@code brig sessions --follow}: the table, drawn again, or on no terminal a line for each change. */
final class SessionsFollower {
    private static final int ENDED_MAX = 1_000;
    private static final int LINES_MAX = 256;
    /** Ages are shown in seconds. */
    private static final long TICK_MS = 1_000;

    private final Main main;
    private final List<String> head;
    private final Function<SpawnView, List<String>> row;
    private final FollowedSessions sessions = new FollowedSessions();

    SessionsFollower(Main main, List<String> head, Function<SpawnView, List<String>> row) {
        this.main = main;
        this.head = head;
        this.row = row;
    }

    /**
     * Follows until the gateway stops, which is an error.
     *
     * @param ended whether those that ended are shown too
     */
    int follow(boolean ended) throws InterruptedException {
        Terminal terminal = main.terminal();
        boolean live = !main.json() && terminal.isLive();
        RedrawnLines picture = terminal.picture(live);
        BlockingQueue<Optional<JsonObject>> lines = new ArrayBlockingQueue<>(LINES_MAX);
        try (GatewayClient client = main.context().connect()) {
            client.send(new SpawnerRequest.FollowSessions(ended ? ENDED_MAX : 0));
            Thread.ofVirtual().start(() -> AsksCommand.read(client, lines));
            while (true) {
                Optional<JsonObject> line = lines.poll(TICK_MS, TimeUnit.MILLISECONDS);
                if (line != null) {
                    take(
                            line.orElseThrow(() ->
                                    new BrigException(ErrorCode.SHUTTING_DOWN, "the gateway closed the connection")),
                            live);
                }
                if (live) {
                    List<SpawnView> shown = ended ? sessions.all() : sessions.live();
                    picture.draw(
                            terminal.tableLines(head, shown.stream().map(row).toList()));
                }
            }
        }
    }

    private void take(JsonObject told, boolean live) {
        GatewayClient.requireNoError(told);
        List<SpawnView> news = sessions.take(told.as(SessionChange.class));
        if (main.json()) {
            main.terminal().json(told);
        } else if (!live) {
            news.forEach(view -> main.terminal().println(String.join("  ", row.apply(view))));
        }
    }
}
