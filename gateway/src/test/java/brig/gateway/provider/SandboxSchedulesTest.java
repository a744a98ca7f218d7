package brig.gateway.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Sessions that begin and end while their provider loses answers before and after the effect, has effects late, limits,
 * shows what was half a minute ago, and the gateway is killed. The seed of a schedule is in its message.
 */
class SandboxSchedulesTest {
    private static final int SCHEDULES = 10_000;
    private static final int STEPS = 12;
    private static final List<String> FOREIGN = List.of(
            "brig-ba9876543210-01kdvk6w3q5h8b2n7r4t9x6m",
            "brig-0123456789ab",
            "prod",
            "brig-0123456789ab-x",
            "BRIG-0123456789AB-Y");
    /** Of this gateway, from before its state was lost. */
    private static final String STRAY = "brig-0123456789ab-01kdvk6w3q5h8b2n7r4t9x6m";

    @Test
    void shouldLeaveNoSandboxWithoutASessionAndMakeNoneTwice() {
        long seen = 0;
        for (int seed = 0; seed < SCHEDULES; seed++) {
            seen += run(seed);
        }
        assertTrue(seen > SCHEDULES, "sessions ran: " + seen);
    }

    /** @return how many sessions ran */
    private static long run(int seed) {
        ProviderBench bench = new ProviderBench(seed % 2 == 0, seed);
        FOREIGN.forEach(bench.provider::plant);
        bench.provider.plant(STRAY);
        bench.provider.faults = bench.random.nextInt(70);
        List<ProviderBench.Session> sessions = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            switch (bench.random.nextInt(6)) {
                case 0, 1, 2 -> sessions.add(bench.begin());
                case 3, 4 -> {
                    if (!sessions.isEmpty()) {
                        ProviderBench.Session one = sessions.get(bench.random.nextInt(sessions.size()));
                        if (one.live) {
                            bench.end(one, null);
                        }
                    }
                }
                default -> bench.restart();
            }
            bench.pass(bench.random.nextInt(40_000));
        }
        // Now the provider works. What was lost may still have its effect, and what it shows catches up.
        bench.provider.faults = 0;
        bench.pass(FakeProvider.LATE_MS + Provisioning.START_MS);
        bench.pass(2 * Sandboxes.ROUND_MS + FakeProvider.CALL_MS);
        check(seed, bench, sessions);
        return sessions.stream().filter(one -> one.ran).count();
    }

    private static void check(int seed, ProviderBench bench, List<ProviderBench.Session> sessions) {
        String where = "seed " + seed;
        Set<String> expected = new TreeSet<>(FOREIGN);
        sessions.stream()
                .filter(one -> one.live)
                .forEach(one -> expected.add(new SandboxName(ProviderBench.GATEWAY, one.spawnId).toString()));
        List<String> there = bench.provider.sandboxes.values().stream()
                .map(Sandbox::name)
                .sorted()
                .toList();
        assertEquals(List.copyOf(expected), there, where);
        Map<String, Integer> doubles = bench.provider.creates.entrySet().stream()
                .filter(one -> one.getValue() > 1)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        assertEquals(Map.of(), doubles, where);
        assertTrue(bench.provider.destroyed.stream().noneMatch(FOREIGN::contains), where);
    }
}
