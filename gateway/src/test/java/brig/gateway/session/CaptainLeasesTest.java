package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.auth.Access;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class CaptainLeasesTest {
    private static final long LEASE_MS = 3_000;

    private final FakeTime time = new FakeTime();
    private final SpawnBench bench = new SpawnBench();
    private final List<String> terminated = new ArrayList<>();
    private CompletionStage<Void> answer = CompletableFuture.completedFuture(null);
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> {
                terminated.add(spawn.taskId() + " " + reason);
                return answer;
            },
            bench.workers()::answer,
            time);

    private Session starting() {
        var _ = bench.ask(SpawnBench.leased("fix", LEASE_MS / 1000));
        Session session = sessions.find("fix");
        session.expectCaptains();
        return session;
    }

    private Session running() {
        Session session = starting();
        bench.started(session.spawn().spawnId());
        return session;
    }

    private Runnable join(Session session, Role role) {
        return session.join(new Access("me", role, null, null, null), null);
    }

    @Test
    void shouldEndWhatNoCaptainCameFor() {
        Session session = starting();
        time.pass(10 * LEASE_MS);
        assertEquals(List.of(), terminated, "it does not run yet, so nobody could come");
        bench.started(session.spawn().spawnId());
        time.pass(LEASE_MS - 1);
        assertEquals(List.of(), terminated);
        time.pass(1);
        assertEquals(List.of("fix captain_gone"), terminated);
    }

    @Test
    void shouldCountFromTheLastCaptainThatLeft() {
        Session session = running();
        time.pass(LEASE_MS - 1);
        Runnable first = join(session, Role.CAPTAIN);
        Runnable second = join(session, Role.CAPTAIN);
        time.pass(10 * LEASE_MS);
        first.run();
        time.pass(10 * LEASE_MS);
        second.run();
        time.pass(LEASE_MS - 1);
        join(session, Role.CAPTAIN).run();
        time.pass(LEASE_MS - 1);
        assertEquals(List.of(), terminated);
        time.pass(1);
        assertEquals(List.of("fix captain_gone"), terminated);
    }

    @Test
    void shouldNotBeHeldByAWatcher() {
        Session session = running();
        Runnable watcher = join(session, Role.WATCHER);
        Runnable captain = join(session, Role.CAPTAIN);
        captain.run();
        watcher.run();
        time.pass(LEASE_MS);
        assertEquals(List.of("fix captain_gone"), terminated);
    }

    @Test
    void shouldTryAgainWhenTheWorkerAgentCannotBeTold() {
        running();
        answer = CompletableFuture.failedFuture(new IllegalStateException("out of reach"));
        time.pass(LEASE_MS);
        answer = CompletableFuture.completedFuture(null);
        time.pass(LEASE_MS);
        time.pass(LEASE_MS);
        assertEquals(List.of("fix captain_gone", "fix captain_gone"), terminated);
    }

    @Test
    void shouldLeaveAloneWhatHasNoLeaseAndWhatHasEnded() {
        Spawn plain = bench.spawn(bench.start("plain"));
        sessions.of(plain).expectCaptains();
        join(sessions.of(plain), Role.CAPTAIN).run();
        Session ended = running();
        bench.say(ended.spawn(), "{\"type\":\"state\",\"seq\":1,\"ts\":1,\"state\":\"terminated\"}\n");
        time.pass(10 * LEASE_MS);
        assertEquals(List.of(), terminated);
        assertEquals(0, time.pending());
    }

    @Test
    void shouldLetNothingRunOutWhenTheGatewayStops() {
        Session session = running();
        Runnable captain = join(session, Role.CAPTAIN);
        sessions.keepAll();
        captain.run();
        time.pass(10 * LEASE_MS);
        assertEquals(List.of(), terminated);
    }
}
