package brig.egress.rate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RouteGateTest {
    private final ManualTimers time = new ManualTimers();
    private final RouteGate gate = new RouteGate(time);
    /** What went through or was turned away, in order. */
    private final List<String> story = new ArrayList<>();

    private final Map<String, Pass> passes = new HashMap<>();

    /** A request of a worker, which has its letter and a number. */
    private void ask(String name) {
        Pass pass = gate.pass(name.substring(0, 1), Runnable::run, new Pass.Listener() {
            @Override
            public void handleThrough() {
                story.add(name);
            }

            @Override
            public void handleTurnedAway(long retryAfterMs) {
                story.add(name + " away " + retryAfterMs);
            }
        });
        passes.put(name, pass);
        pass.enter();
    }

    private void answer(String name, int status, String... headers) {
        passes.get(name).handleAnswer(status, headers(headers));
        passes.get(name).end();
    }

    private static HttpHeaders headers(String... namesAndValues) {
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    private List<String> told() {
        List<String> now = List.copyOf(story);
        story.clear();
        return now;
    }

    @Test
    void shouldLetAllThroughUntilTheProviderRefuses() {
        for (int i = 0; i < 100; i++) {
            ask("a" + i);
        }
        assertEquals(100, told().size());
        assertEquals(0, time.scheduled());
    }

    @Test
    void shouldSendOneAloneAfterAsLongAsTheProviderSaid() {
        ask("a1");
        answer("a1", 429, "retry-after", "3");
        ask("a2");
        ask("b1");
        time.pass(2_999);
        assertEquals(List.of("a1"), told());
        time.pass(1);
        assertEquals(List.of("a2"), told());
        time.pass(9_000);
        assertEquals(List.of(), told());
        answer("a2", 200);
        time.pass(2_000);
        assertEquals(List.of("b1"), told());
    }

    @Test
    void shouldCloseAgainWhereTheFirstOneIsRefused() {
        ask("a1");
        answer("a1", 529);
        ask("a2");
        ask("a3");
        time.pass(1_000);
        assertEquals(List.of("a1", "a2"), told());
        answer("a2", 529);
        time.pass(1_999);
        assertEquals(List.of(), told());
        time.pass(1);
        assertEquals(List.of("a3"), told());
    }

    @Test
    void shouldSendTheNextWhereTheFirstOneIsGone() {
        ask("a1");
        answer("a1", 429, "retry-after", "1");
        ask("a2");
        ask("a3");
        time.pass(1_000);
        passes.get("a2").end();
        assertEquals(List.of("a1", "a2", "a3"), told());
        ask("a4");
        time.pass(11_000);
        assertEquals(List.of(), told().stream().filter("a3"::equals).toList());
    }

    @Test
    void shouldLetARequestThroughForWhichTheGateOpensWhileItEnters() {
        ask("a1");
        answer("a1", 429, "retry-after", "1");
        ask("a2");
        time.pass(1_000);
        answer("a2", 200);
        ask("a3");
        time.pass(60_000);
        assertEquals(List.of("a1", "a2", "a3"), told());
        time.whenAsked(passes.get("a3")::end);
        ask("b1");
        assertEquals(List.of("b1"), told());
        assertEquals(0, time.scheduled());
    }

    @Test
    void shouldForgetARequestWhoseAgentIsGone() {
        ask("a1");
        answer("a1", 429, "retry-after", "1");
        ask("a2");
        ask("b1");
        passes.get("a2").end();
        time.pass(1_000);
        assertEquals(List.of("a1", "b1"), told());
    }

    @Test
    void shouldTakeTurnsAmongWorkers() {
        ask("a0");
        answer("a0", 429, "retry-after", "1");
        for (int i = 1; i <= 20; i++) {
            ask("a" + i);
        }
        ask("b1");
        ask("c1");
        ask("b2");
        time.pass(1_000);
        answer("a1", 200);
        time.pass(60_000);
        assertEquals(List.of("a0", "a1", "b1", "c1", "a2", "b2", "a3"), told().subList(0, 7));
    }

    @Test
    void shouldNotTakeRefusalsOfRequestsUnderWayForNewOnes() {
        for (int i = 0; i < 50; i++) {
            ask("a" + i);
        }
        for (int i = 0; i < 40; i++) {
            answer("a" + i, 200);
        }
        for (int i = 40; i < 50; i++) {
            answer("a" + i, 429, "retry-after", "1");
        }
        told();
        for (int i = 0; i < 50; i++) {
            ask("b" + i);
        }
        time.pass(1_000);
        answer("b0", 200);
        time.pass(1_000);
        int inASecond = told().size();
        assertTrue(inASecond >= 33 && inASecond <= 42, "36 a second, nine tenths of what it took: " + inASecond);
    }

    @Test
    void shouldTurnAwayWhatWaitsTooLong() {
        ask("a1");
        answer("a1", 429, "retry-after", "100");
        ask("b1");
        time.pass(100_000);
        ask("c1");
        ask("c2");
        assertEquals(List.of("a1", "b1"), told());
        answer("b1", 429, "retry-after", "300");
        time.pass(119_999);
        assertEquals(List.of(), told());
        time.pass(1);
        assertEquals(List.of("c1 away 180000", "c2 away 180000"), told());
        ask("d1");
        assertEquals(List.of("d1 away 180000"), told(), "it would wait for nothing");
    }

    @Test
    void shouldTurnAwayWhereTooMuchWaits() {
        ask("a");
        answer("a", 429, "retry-after", "10");
        for (int i = 0; i <= RouteGate.WAITING_OF_WORKER_MAX; i++) {
            ask("a" + i);
        }
        assertEquals(2, told().size(), "one went through, one was turned away");
        for (int worker = 0; worker < 20; worker++) {
            for (int i = 0; i < RouteGate.WAITING_OF_WORKER_MAX; i++) {
                ask((char) ('b' + worker) + "." + i);
            }
        }
        int all = 21 * RouteGate.WAITING_OF_WORKER_MAX;
        assertEquals(all - RouteGate.WAITING_MAX, told().size());
    }

    @Test
    void shouldOpenAgainWhenItIsCalm() {
        ask("a1");
        answer("a1", 429, "retry-after", "1");
        ask("a2");
        time.pass(1_000);
        answer("a2", 200);
        time.pass(60_000);
        ask("a3");
        answer("a3", 200);
        told();
        for (int i = 0; i < 50; i++) {
            ask("b" + i);
        }
        assertEquals(50, told().size());
    }

    @Test
    void shouldSlowDownBeforeTheLimitIsUsedUp() {
        for (int i = 0; i < 10; i++) {
            ask("a" + i);
        }
        answer(
                "a0", 200,
                "x-ratelimit-limit-requests", "10",
                "x-ratelimit-remaining-requests", "0",
                "x-ratelimit-reset-requests", "5s");
        told();
        for (int i = 0; i < 40; i++) {
            ask("b" + i);
        }
        assertEquals(0, told().size());
        time.pass(10_000);
        int gone = told().size();
        assertTrue(gone >= 19 && gone <= 21, "two a second: " + gone);
    }

    @Test
    void shouldNotStandStillBecauseOfAGoodAnswer() {
        ask("a0");
        answer(
                "a0", 200,
                "x-ratelimit-limit-requests", "1",
                "x-ratelimit-remaining-requests", "0",
                "x-ratelimit-reset-requests", "300s");
        told();
        for (int i = 0; i < 20; i++) {
            ask("b" + i);
        }
        time.pass(10_000);
        assertTrue(told().size() >= 9);
    }

    /**
     * Scenario: a provider takes so many requests in each second and refuses others until the next one; 50 workers have four
     * requests each, one after the other, and come again when they were refused, as their agents do.
     */
    @Test
    void shouldNotStormAProviderThatSaysNothingOfItsRate() {
        for (int perSecond : new int[] {5, 20, 40, 100}) {
            Provider provider = new Provider(perSecond, new Random(perSecond));
            provider.run(50, 4);
            long optimumMs = 200 * 1000L / perSecond;
            assertEquals(200, provider.taken);
            assertTrue(provider.refused <= 50 + 25, perSecond + " a second: " + provider.refused + " refused");
            assertTrue(
                    provider.lastMs <= optimumMs * 1.35 + 3_500,
                    perSecond + " a second: " + provider.lastMs + " ms in place of " + optimumMs);
            assertTrue(provider.mostWaitedMs <= optimumMs / 4 * 2.5 + 3_500, "waited " + provider.mostWaitedMs);
        }
    }

    /** Scenario: answers say anything, in any order, and requests end at any time. */
    @Test
    void shouldNeverStayClosedWhateverTheServerSays() {
        String[] waits = {"-1", "0", "1", "NaN", "1000000000000", "0.001", "Fri, 31 Dec 9999 23:59:59 GMT", "soon"};
        int[] statuses = {200, 200, 429, 503, 529, 500};
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ManualTimers clock = new ManualTimers();
            RouteGate hostile = new RouteGate(clock);
            int[] decided = new int[1];
            List<Pass> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Pass pass = hostile.pass(i % 7, Runnable::run, new Pass.Listener() {
                    @Override
                    public void handleThrough() {
                        decided[0]++;
                    }

                    @Override
                    public void handleTurnedAway(long retryAfterMs) {
                        assertTrue(retryAfterMs >= 1 && retryAfterMs <= RateAnswer.WAIT_MS_MAX);
                        decided[0]++;
                    }
                });
                all.add(pass);
                pass.enter();
                Pass any = all.get(random.nextInt(all.size()));
                if (any.state() == Pass.State.THROUGH && random.nextInt(4) > 0) {
                    any.handleAnswer(
                            statuses[random.nextInt(statuses.length)],
                            headers(
                                    "retry-after", waits[random.nextInt(waits.length)],
                                    "x-ratelimit-limit-requests", waits[random.nextInt(waits.length)],
                                    "x-ratelimit-remaining-requests", waits[random.nextInt(waits.length)],
                                    "x-ratelimit-reset-requests", waits[random.nextInt(waits.length)]));
                } else if (random.nextInt(10) == 0) {
                    if (any.state() == Pass.State.WAITING) {
                        decided[0]++;
                    }
                    any.end();
                }
                clock.pass(random.nextInt(2_000));
            }
            clock.pass(RouteGate.WAIT_MS_MAX);
            assertEquals(200, decided[0], "seed " + seed);
            all.forEach(Pass::end);
            clock.pass(RateAnswer.WAIT_MS_MAX);
            assertTrue(hostile.isUnused(0), "seed " + seed);
            assertEquals(0, clock.scheduled(), "seed " + seed);
        }
    }

    @Test
    void shouldKeepABoundedNumberOfGatesAndForgetUnusedOnes() {
        RouteGates gates = new RouteGates(time);
        GateKey used = GateKey.of("https", "a.example", 443, List.of("planted-credential"));
        RouteGate kept = gates.of(used);
        Pass pass = kept.pass("a", Runnable::run, new Pass.Listener() {
            @Override
            public void handleThrough() {}

            @Override
            public void handleTurnedAway(long retryAfterMs) {}
        });
        pass.enter();
        for (int i = 0; i < 2 * RouteGates.GATES_MAX; i++) {
            assertNotNull(gates.of(GateKey.of("https", "a.example", 443, List.of("key" + i))));
        }
        assertEquals(RouteGates.GATES_MAX, gates.size());
        assertEquals(kept, gates.of(GateKey.of("https", "a.example", 443, List.of("planted-credential"))));
        pass.end();
        time.pass(3_600_000);
        gates.of(GateKey.of("https", "b.example", 443, List.of()));
        assertEquals(1, gates.size());
        assertFalse(used.toString().contains("planted"), used::toString);
    }

    /** A provider with a limit for each second, and the agents that use it. */
    private static final class Provider {
        private static final long ANSWER_MS = 20;

        private final ManualTimers time = new ManualTimers();
        private final RouteGate gate = new RouteGate(time);
        private final int perSecond;
        private final Random random;
        private final Map<Long, Integer> inSecond = new HashMap<>();
        private int taken;
        private int refused;
        private long lastMs;
        private long mostWaitedMs;

        Provider(int perSecond, Random random) {
            this.perSecond = perSecond;
            this.random = random;
        }

        void run(int workers, int requests) {
            for (int worker = 0; worker < workers; worker++) {
                ask(worker, requests, 0);
            }
            time.pass(600_000);
        }

        private void ask(int worker, int requests, long sinceMs) {
            if (requests == 0) {
                return;
            }
            Pass[] pass = new Pass[1];
            pass[0] = gate.pass(worker, Runnable::run, new Pass.Listener() {
                @Override
                public void handleThrough() {
                    time.schedule(() -> receive(pass[0], worker, requests, sinceMs), random.nextLong(ANSWER_MS));
                }

                @Override
                public void handleTurnedAway(long retryAfterMs) {
                    throw new AssertionError("nothing waits so long");
                }
            });
            pass[0].enter();
        }

        private void receive(Pass pass, int worker, int requests, long sinceMs) {
            boolean takes = inSecond.merge(time.nowMs() / 1000, 1, Integer::sum) <= perSecond;
            time.schedule(
                    () -> {
                        long now = time.nowMs();
                        pass.handleAnswer(takes ? 200 : 429, takes ? headers() : headers("retry-after", "1"));
                        pass.end();
                        if (takes) {
                            taken++;
                            lastMs = now;
                            mostWaitedMs = Math.max(mostWaitedMs, now - sinceMs);
                            ask(worker, requests - 1, now);
                        } else {
                            refused++;
                            time.schedule(() -> ask(worker, requests, sinceMs), 1_000);
                        }
                    },
                    random.nextLong(ANSWER_MS));
        }
    }
}
