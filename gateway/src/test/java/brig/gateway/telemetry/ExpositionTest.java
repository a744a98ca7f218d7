package brig.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.HandTimers;
import brig.protocol.egress.EgressEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    private final long[] nowNanos = {0};
    private final Counters counters = new Counters(() -> nowNanos[0]);
    private final HandTimers timers = new HandTimers();
    private final LoopWatch loop = new LoopWatch(counters, timers);

    private boolean workerAgentUp = true;
    private final Exposition exposition = exposition(counters, loop, () -> workerAgentUp);

    private String scrape() {
        return new String(exposition.scrape(), StandardCharsets.UTF_8);
    }

    /** Of a gateway of which nothing else is known than these. */
    static Exposition exposition(Counters counters, LoopWatch loop, BooleanSupplier workerAgentUp) {
        return new Exposition(
                counters,
                loop,
                () -> new GaugeReadings(
                        Map.of("running", 3, "spawning", 0),
                        Map.of("tool", 2),
                        Map.of("80", 1),
                        5,
                        2,
                        Map.of("up", 2, "down", 0),
                        7,
                        1,
                        1234,
                        workerAgentUp.getAsBoolean(),
                        new GaugeReadings.ClusterUse(Map.of("owning", 2, "following", 1), true, 5, 3),
                        List.of(new GaugeReadings.LimitUse("workersMax", 3, 200))),
                "1.2.3");
    }

    private void requireLine(String line) {
        String text = scrape();
        assertTrue(text.lines().anyMatch(line::equals), () -> line + " is not in\n" + text);
    }

    private void pass(long ms) {
        nowNanos[0] += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static final EgressEvent.Blocked BLOCKED = new EgressEvent.Blocked(
            new EgressEvent.Request("GET", "https", "evil.example", 443, "/", "r", List.of(), 403));

    @Test
    void shouldShowWhatIsLookedUp() {
        requireLine("brig_sessions{state=\"running\"} 3.0");
        requireLine("brig_sessions{state=\"spawning\"} 0.0");
        requireLine("brig_asks_open{kind=\"tool\"} 2.0");
        requireLine("brig_budgets{used=\"80\"} 1.0");
        requireLine("brig_throttled_sessions 5.0");
        requireLine("brig_throttling_providers 2.0");
        requireLine("brig_hosts{state=\"up\"} 2.0");
        requireLine("brig_hosts{state=\"down\"} 0.0");
        requireLine("brig_connections 7.0");
        requireLine("brig_connections_full 1.0");
        requireLine("brig_queue_bytes 1234.0");
        requireLine("brig_cluster_hosts{part=\"owning\"} 2.0");
        requireLine("brig_cluster_connected 1.0");
        requireLine("brig_cluster_takeovers_total 5.0");
        requireLine("brig_cluster_losses_total 3.0");
        requireLine("brig_ready 1.0");
        workerAgentUp = false;
        requireLine("brig_ready 0.0");
        requireLine("brig_limit_used{limit=\"workersMax\"} 3.0");
        requireLine("brig_limit_max{limit=\"workersMax\"} 200.0");
        requireLine("brig_build_info{version=\"1.2.3\"} 1");
    }

    @Test
    void shouldSumWhatStreamsCount() {
        counters.handleFrames(5, 500);
        counters.handleFrames(1, 20);
        counters.audience(Transport.SSE).handleSubscribed();
        counters.audience(Transport.SSE).handleSubscribed();
        counters.audience(Transport.SSE).handleUnsubscribed();
        counters.audience(Transport.SSE).handleDelivered(4, 400);
        counters.audience(Transport.NONE).handleDelivered(6, 520);
        counters.handleGap("evicted", 9);
        counters.handleSlowClose();
        requireLine("brig_frames_received_total 6.0");
        requireLine("brig_received_bytes_total 520.0");
        requireLine("brig_subscribers{transport=\"sse\"} 1.0");
        requireLine("brig_frames_sent_total{transport=\"sse\"} 4.0");
        requireLine("brig_sent_bytes_total{transport=\"sse\"} 400.0");
        requireLine("brig_gaps_total{reason=\"evicted\"} 1.0");
        requireLine("brig_gap_frames_total 9.0");
        requireLine("brig_slow_closes_total 1.0");
        assertFalse(scrape().contains("\"none\""), "the recorder is no subscriber");
    }

    @Test
    void shouldSumPausesOfAllWorkersThoseThatLastIncluded() {
        counters.handlePaused(true);
        pass(1_000);
        counters.handlePaused(true);
        pass(2_000);
        counters.handlePaused(false);
        requireLine("brig_paused_seconds_total 5.0");
        requireLine("brig_paused_workers 1.0");
        pass(500);
        requireLine("brig_paused_seconds_total 5.5");
    }

    @Test
    void shouldPutDurationsIntoBuckets() {
        counters.handleRunning(0.015);
        counters.handleRunning(0.02);
        counters.handleRunning(100);
        requireLine("brig_spawn_seconds_bucket{le=\"0.01\"} 0");
        requireLine("brig_spawn_seconds_bucket{le=\"0.02\"} 2");
        requireLine("brig_spawn_seconds_bucket{le=\"30.0\"} 2");
        requireLine("brig_spawn_seconds_bucket{le=\"+Inf\"} 3");
        requireLine("brig_spawn_seconds_count 3");
        requireLine("brig_spawn_seconds_sum 100.035");
        counters.handleStored(0.001);
        requireLine("brig_store_seconds_count{store=\"database\"} 1");
        requireLine("brig_store_seconds_count{store=\"streams\"} 0");
    }

    @Test
    void shouldRememberTheLongestTaskForAWhile() {
        loop.start();
        pass(LoopWatch.PERIOD_MS + 250);
        timers.pass(LoopWatch.PERIOD_MS);
        requireLine("brig_loop_longest_task_seconds 0.25");
        requireLine("brig_loop_lag_seconds_count 1");
        tick(600);
        requireLine("brig_loop_longest_task_seconds 0.25");
        tick(1_200);
        requireLine("brig_loop_longest_task_seconds 0.0");
        requireLine("brig_loop_lag_seconds_sum 0.25");
        pass(LoopWatch.PERIOD_MS - 1);
        timers.pass(LoopWatch.PERIOD_MS);
        requireLine("brig_loop_lag_seconds_sum 0.25");
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            pass(LoopWatch.PERIOD_MS);
            timers.pass(LoopWatch.PERIOD_MS);
        }
    }

    @Test
    void shouldCountDecisionsAndTokens() {
        counters.handleEgress(BLOCKED, 0);
        counters.handleEgress(new EgressEvent.Answered("a", 443, true, "r"), 0);
        counters.handleEgress(new EgressEvent.Answered("a", 443, false, "r"), 3);
        counters.handleTokens("claude", false, "input", 812);
        counters.handleTokens("claude", true, "input", 800);
        counters.handleTokens("claude", true, "output", 0);
        requireLine("brig_egress_decisions_total{decision=\"blocked\"} 1.0");
        requireLine("brig_egress_decisions_total{decision=\"answered_allowed\"} 1.0");
        requireLine("brig_egress_decisions_total{decision=\"answered_denied\"} 1.0");
        requireLine("brig_egress_decisions_total{decision=\"asked\"} 0.0");
        requireLine("brig_egress_untold_total 3.0");
        requireLine("brig_tokens_total{agent=\"claude\",kind=\"input\",source=\"agent\"} 812.0");
        requireLine("brig_tokens_total{agent=\"claude\",kind=\"input\",source=\"egress\"} 800.0");
        assertFalse(scrape().contains("kind=\"output\""), "nothing is no series");
    }

    @Test
    void shouldHaveNoMoreSeriesAfterMuchThanAfterLittle() {
        // Scenario: what an agent writes into its frames must not make series, however often and with whatever words.
        counters.handleEgress(BLOCKED, 0);
        counters.handleTokens("shell", false, "input", 1);
        long before = scrape().lines().count();
        for (int i = 0; i < 10_000; i++) {
            counters.handleEgress(new EgressEvent.Answered("host-" + i, i, i % 2 == 0, "rule-" + i), 1);
            counters.handleEgress(null, 1);
            counters.handleTokens("shell", false, "input", i);
            counters.handleEnded("failed");
            counters.handleRunning(i);
            counters.handleFirstChunk(i);
            counters.handleStored(i);
            counters.handleRecorded(i);
            counters.audience(Transport.UNIX).handleDelivered(i, i);
        }
        assertEquals(before, scrape().lines().count());
    }
}
