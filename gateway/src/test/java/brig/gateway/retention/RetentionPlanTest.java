package brig.gateway.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.retention.RetentionPlan.Candidate;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RetentionPlanTest {
    private static final long DAY_MS = 24 * 3_600_000L;
    private static final long NOW_MS = 100 * DAY_MS;

    private static Candidate aged(String id, int days, long bytes) {
        return new Candidate(id, NOW_MS - days * DAY_MS, bytes, false);
    }

    private static List<String> gone(Retention.Bounds bounds, long liveBytes, Candidate... ended) {
        return RetentionPlan.of(bounds, NOW_MS, liveBytes, List.of(ended)).doomed().stream()
                .map(doomed -> doomed.spawn().spawnId() + " " + doomed.reason().wireName())
                .toList();
    }

    @Test
    void shouldDeleteWhatIsTooOldAndThenTheOldest() {
        Candidate[] ended = {aged("a", 31, 10), aged("b", 20, 10), aged("c", 10, 0), aged("d", 5, 10), aged("e", 1, 10)
        };
        assertEquals(List.of("a days"), gone(new Retention.Bounds(30, 0, 0), 0, ended));
        assertEquals(List.of("a spawns", "b spawns"), gone(new Retention.Bounds(0, 0, 3), 0, ended));
        assertEquals(
                List.of("a bytes", "b bytes", "d bytes"),
                gone(new Retention.Bounds(0, 15, 0), 0, ended),
                "to delete one without bytes helps nobody");
        assertEquals(List.of("a days", "b spawns", "d bytes"), gone(new Retention.Bounds(30, 15, 3), 0, ended));
        assertEquals(List.of(), gone(new Retention.Bounds(0, 0, 0), 1 << 30, ended), "0 is no bound");
    }

    @Test
    void shouldCountWhatLivesAndDeleteOnlyWhatHasEnded() {
        assertEquals(List.of("a bytes"), gone(new Retention.Bounds(0, 100, 0), 85, aged("a", 2, 10), aged("b", 1, 10)));
        assertEquals(
                List.of("a bytes", "b bytes"),
                gone(new Retention.Bounds(0, 100, 0), 1_000, aged("a", 2, 10), aged("b", 1, 10)));
    }

    @Test
    void shouldKeepWhatIsNeededHoweverOld() {
        Candidate read = new Candidate("read", 0, 50, true);
        assertEquals(
                List.of("b bytes"),
                gone(new Retention.Bounds(30, 60, 1), 0, read, aged("b", 1, 20)).stream()
                        .map(line -> line.replace("spawns", "bytes"))
                        .toList());
        assertEquals(List.of(), gone(new Retention.Bounds(1, 1, 1), 0, read));
    }

    @Test
    void shouldHoldEveryBoundWhateverEnded() {
        // Scenario: a thousand rounds of random spawns and bounds. What stays is within each bound, or needed, or
        // empty.
        Random random = new Random(11);
        for (int round = 0; round < 1_000; round++) {
            Candidate[] ended = new Candidate[random.nextInt(60)];
            for (int i = 0; i < ended.length; i++) {
                ended[i] = new Candidate(
                        "s" + i, NOW_MS - (ended.length - i) * DAY_MS, random.nextInt(1_000), random.nextInt(10) == 0);
            }
            var bounds = new Retention.Bounds(random.nextInt(40), random.nextInt(20_000), random.nextInt(50));
            RetentionPlan plan = RetentionPlan.of(bounds, NOW_MS, random.nextInt(2_000), List.of(ended));
            long needed = List.of(ended).stream().filter(Candidate::needed).count();
            boolean all = plan.doomed().size() == ended.length - needed;
            boolean restIsEmpty = List.of(ended).stream()
                    .filter(one -> !one.needed() && one.bytes() > 0)
                    .allMatch(one -> plan.doomed().stream()
                            .anyMatch(doomed -> doomed.spawn().equals(one)));
            assertEquals(true, all || bounds.spawns() == 0 || plan.keptSpawns() <= bounds.spawns(), "round " + round);
            assertEquals(
                    true, restIsEmpty || bounds.bytes() == 0 || plan.keptBytes() <= bounds.bytes(), "round " + round);
            assertEquals(
                    plan.doomed().size(),
                    plan.reasons().values().stream().mapToInt(Integer::intValue).sum());
        }
        assertEquals(
                Map.of(),
                RetentionPlan.of(new Retention.Bounds(1, 1, 1), NOW_MS, 0, List.of())
                        .reasons());
    }
}
