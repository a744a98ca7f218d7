package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Fields;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopTableTest {
    private static final long NOW_MS = 1_767_225_600_000L;

    private final TopTable table = new TopTable();

    private static Fields view(String id, String epoch, long seq) {
        return new Fields(Map.of(
                "spawn_id",
                "spn_" + id,
                "task_id",
                id,
                "agent",
                "shell",
                "activity",
                "working",
                "epoch",
                epoch,
                "last_seq",
                seq,
                "readers",
                2L,
                "created_ms",
                NOW_MS - 65_000));
    }

    private static List<String> ids(List<TopTable.Row> rows) {
        return rows.stream().map(TopTable.Row::spawnId).toList();
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
        Fields ended = new Fields(Map.of("spawn_id", "spn_c", "ended_ms", NOW_MS));
        assertEquals(List.of("spn_a"), ids(table.look(List.of(ended, view("a", "e", 1)), NOW_MS)));
    }

    @Test
    void shouldSumTokensOfTheAgentAndItsSubAgents() {
        TopTable.Row row = table.look(List.of(view("a", "e", 1)), NOW_MS)
                .getFirst()
                .withTokens(new Fields(Map.of(
                        "main", Map.of("input_tokens", 6_000L, "output_tokens", 40L),
                        "agents",
                                List.of(
                                        Map.of("input_tokens", 500L, "output_tokens", 2L),
                                        Map.of("status", "running")))));
        assertEquals(6_500, row.inputTokens());
        assertEquals(List.of("a", "shell", "working", "1m5s", "1", "0.0", "2", "6.5k", "42"), row.cells(NOW_MS));
    }

    @Test
    void shouldNotLetANameCommandTheTerminal() {
        Fields hostile =
                new Fields(Map.of("spawn_id", "spn_x", "task_id", "a\u001b[2J", "agent", "b\nc", "epoch", "e"));
        List<String> cells = table.look(List.of(hostile), NOW_MS).getFirst().cells(NOW_MS);
        assertEquals(List.of("a [2J", "b c"), cells.subList(0, 2));
    }
}
