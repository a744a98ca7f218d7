package brig.cli;

import brig.cli.terminal.KeyReader;
import brig.cli.terminal.RedrawnLines;
import brig.cli.terminal.StyledLine;
import brig.protocol.BrigException;
import brig.protocol.api.GatewayView;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TreeView;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig top}. */
@Command(
        name = "top",
        description = "Show the live sessions, the busiest first, and the gateway's limits, until q or Ctrl-C.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "FRAMES/S is measured over one interval, so the first screen appears after it. If the output is not a terminal,",
            "and with --json, each interval prints everything again.",
            "",
            "Examples:",
            "  brig top",
            "  brig top --once --interval 5",
            "  brig top --json | jq -c '.sessions[] | [.task_id, .frames_per_second]'"
        })
final class TopCommand implements Callable<Integer> {
    private static final int ROWS_UNKNOWN = 24;

    @ParentCommand
    private Main main = new Main();

    @Option(names = "--once", description = "Print one screen and exit.")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "The interval, 0.1 to 3600 seconds.")
    private double intervalSeconds;

    private final TopTable table = new TopTable();
    /** The last usage and its stream position: a tree is fetched again when there are more frames. */
    private final Map<String, TopTable.Row> withTokens = new HashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        if (!(intervalSeconds >= 0.1 && intervalSeconds <= 3600)) {
            throw BrigException.invalid("--interval", "must be from 0.1 to 3600");
        }
        boolean live = !once && !main.json() && main.terminal().isLive();
        RedrawnLines picture = main.terminal().picture(live);
        try (GatewayClient client = main.context().connect();
                KeyReader keys = live ? KeyReader.take() : KeyReader.none()) {
            look(client);
            while (!keys.await('q', (long) (intervalSeconds * 1000))) {
                JsonObject status = client.request(new SpawnerRequest.Gateway());
                List<TopTable.Row> rows = look(client);
                if (main.json()) {
                    print(status, tokens(client, rows));
                } else {
                    draw(picture, client, StatusCommand.lines(status.as(GatewayView.class)), rows, live);
                }
                if (once) {
                    return 0;
                }
            }
        }
        return 0;
    }

    private List<TopTable.Row> look(GatewayClient client) {
        return table.look(
                client.request(new SpawnerRequest.ListAll(), SpawnList.class).spawns(), System.currentTimeMillis());
    }

    private List<TopTable.Row> tokens(GatewayClient client, List<TopTable.Row> rows) {
        Map<String, TopTable.Row> known = new HashMap<>(withTokens);
        withTokens.clear();
        List<TopTable.Row> counted = new ArrayList<>();
        for (TopTable.Row row : rows) {
            TopTable.Row last = known.get(row.view().spawnId());
            TopTable.Row now = last != null
                            && last.view().lastSeq() == row.view().lastSeq()
                    ? new TopTable.Row(row.view(), row.framesPerSecond(), last.inputTokens(), last.outputTokens())
                    : ask(client, row);
            withTokens.put(row.view().spawnId(), now);
            counted.add(now);
        }
        return counted;
    }

    /** A spawn forgotten meanwhile has no usage. */
    private static TopTable.Row ask(GatewayClient client, TopTable.Row row) {
        try {
            return row.withTokens(
                    client.request(new SpawnerRequest.Tree(row.view().spawnId()), TreeView.class));
        } catch (BrigException gone) {
            return row;
        }
    }

    /**
     * One snapshot as JSON.
     *
     * @param gateway unchanged
     */
    private record Screen(JsonObject gateway, List<TopTable.Shown> sessions) {}

    private void print(JsonObject status, List<TopTable.Row> rows) {
        main.terminal()
                .json(new Screen(status, rows.stream().map(TopTable.Row::shown).toList()));
    }

    private void draw(
            RedrawnLines picture, GatewayClient client, List<String> head, List<TopTable.Row> rows, boolean live) {
        // The head, an empty line, the table's head, a line with the number of omitted rows, and the cursor's.
        int room = live ? Math.max(1, KeyReader.rows(ROWS_UNKNOWN) - head.size() - 4) : Integer.MAX_VALUE;
        List<TopTable.Row> shown = tokens(client, rows.stream().limit(room).toList());
        long nowMs = System.currentTimeMillis();
        List<StyledLine> lines =
                new ArrayList<>(head.stream().map(StyledLine::of).toList());
        lines.add(StyledLine.of(""));
        lines.addAll(main.terminal()
                .tableLines(
                        TopTable.HEAD,
                        shown.stream().map(row -> row.cells(nowMs)).toList()));
        if (shown.size() < rows.size()) {
            lines.add(StyledLine.of("and " + (rows.size() - shown.size()) + " more"));
        }
        picture.draw(lines);
        if (!live && !once) {
            main.terminal().println("");
        }
    }
}
