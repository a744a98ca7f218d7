package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.SpawnState;
import brig.protocol.api.AgentStatus;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.api.TreeView;
import brig.protocol.frame.TokenUsage;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopTableTest {
    private static final long NOW_MS = 1_767_225_600_000L;

    private final TopTable table = new TopTable();

    private static SpawnView view(String id, String epoch, long seq) {
        return view("spn_" + id, id, "shell", epoch, seq, 0);
    }

    private static SpawnView view(String spawnId, String taskId, String agent, String epoch, long seq, long endedMs) {
        return new SpawnView(
                spawnId,
                taskId,
                null,
                null,
                null,
                null,
                null,
                "local",
                null,
                agent,
                SpawnState.RUNNING,
                SpawnActivity.WORKING,
                null,
                0,
                false,
                false,
                "/w",
                "uid:0",
                NOW_MS - 65_000,
                0,
                endedMs,
                null,
                epoch,
                1,
                seq,
                2,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static TreeView.SubAgent subAgent(String id, TokenUsage usage) {
        return new TreeView.SubAgent(
                id, null, false, 1, false, AgentStatus.RUNNING, 0, 0, null, null, null, null, null, null, usage);
    }

    private static List<String> ids(List<TopTable.Row> rows) {
        return rows.stream().map(row -> row.view().spawnId()).toList();
    }

    @Test
    void shouldCountFramesOfASecondBetweenTwoLooks() {
        table.look(List.of(view("a", "e", 10), view("b", "e", 10)), NOW_MS);
        List<TopTable.Row> rows = table.look(List.of(view("a", "e", 11), view("b", "e", 110)), NOW_MS + 2_000);
        assertEquals(List.of("spn_b", "spn_a"), ids(rows), "the busiest comes first");
        assertEquals(50.0, rows.getFirst().framesPerSecond());
        assertEquals(0.5, rows.getLast().framesPerSecond());
    }

    @Test
    void shouldCountFromTheBeginningWhenTheStreamBeganAnew() {
        table.look(List.of(view("a", "old", 1_000)), NOW_MS);
        assertEquals(
                0,
                table.look(List.of(view("a", "new", 5_000)), NOW_MS + 1_000)
                        .getFirst()
                        .framesPerSecond());
        assertEquals(
                7,
                table.look(List.of(view("a", "new", 5_007)), NOW_MS + 2_000)
                        .getFirst()
                        .framesPerSecond());
    }

    @Test
    void shouldShowNoRateWhenItLooksForTheFirstTimeOrTheClockStoodStill() {
        assertEquals(
                0, table.look(List.of(view("a", "e", 10)), NOW_MS).getFirst().framesPerSecond());
        assertEquals(
                0, table.look(List.of(view("a", "e", 20)), NOW_MS).getFirst().framesPerSecond());
    }

    @Test
    void shouldLeaveOutWhatHasEnded() {
        SpawnView ended = view("spn_c", "c", "shell", "e", 1, NOW_MS);
        assertEquals(List.of("spn_a"), ids(table.look(List.of(ended, view("a", "e", 1)), NOW_MS)));
    }

    @Test
    void shouldSumTokensOfTheAgentAndItsSubAgents() {
        TopTable.Row row = table.look(List.of(view("a", "e", 1)), NOW_MS)
                .getFirst()
                .withTokens(new TreeView(
                        "spn_a",
                        "a",
                        "shell",
                        null,
                        SpawnState.RUNNING,
                        SpawnActivity.WORKING,
                        "e",
                        1,
                        new TreeView.Main(
                                AgentStatus.RUNNING,
                                0,
                                0,
                                null,
                                null,
                                null,
                                null,
                                new TokenUsage(6_000, 40, 0, null),
                                1),
                        List.of(subAgent("x", new TokenUsage(500, 2, 0, null)), subAgent("y", null)),
                        new TreeView.Counts(2, 2, 0, 0, 0, 0, 1),
                        true,
                        new TreeView.LeftOut(0, 0)));
        assertEquals(6_500, row.inputTokens());
        assertEquals(List.of("a", "shell", "working", "1m5s", "1", "0.0", "2", "6.5k", "42", ""), row.cells(NOW_MS));
    }

    @Test
    void shouldNotLetANameCommandTheTerminal() {
        SpawnView hostile = view("spn_x", "a\u001b[2J", "b\nc", "e", 1, 0);
        List<String> cells = table.look(List.of(hostile), NOW_MS).getFirst().cells(NOW_MS);
        assertEquals(List.of("a [2J", "b c"), cells.subList(0, 2));
    }
}
