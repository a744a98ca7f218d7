package brig.gateway.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.gateway.auth.Access;
import brig.gateway.limits.Admission;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.Deadlines;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.Role;
import brig.protocol.api.GatewayView;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostState;
import brig.protocol.api.HostView;
import brig.protocol.api.PruneAnswer;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GatewayStatusTest {
    private static final HostView BUILD1 = new HostView(
            "build1",
            false,
            "me@build1",
            List.of("gpu"),
            HostEgress.THERE,
            HostState.DOWN,
            null,
            "no route to host",
            "wait",
            3,
            1,
            0,
            "1.0",
            false,
            7);

    private final FakeTime time = new FakeTime();
    private long wallMs = 1_767_225_600_000L;
    private long nanos = 42;
    private @Nullable String notReady;

    private final SpawnBench bench = new SpawnBench();
    private final Admission admission = new Admission(new Admission.Bounds(1, 1, 0, 8), () -> wallMs, time);
    private final GatewayStatus status = new GatewayStatus(
            new Sessions(
                    bench.spawns(),
                    (spawn, reason, by) -> CompletableFuture.completedFuture(null),
                    bench.workers()::answer,
                    time),
            new ConnectionGuard(new ConnectionGuard.Bounds(8, 1, 8, 8), new Deadlines(1, 1, 1, 1), time),
            new OperatorControls(
                    admission,
                    (deadlineMs, handOver) -> {},
                    (dryRun, by) -> CompletableFuture.completedFuture(
                            new PruneAnswer(dryRun, 0, 0, Map.of(), new PruneAnswer.Kept(0, 0))),
                    () -> notReady),
            () -> List.of(BUILD1),
            () -> wallMs,
            () -> nanos);

    @Test
    void shouldCountItsAgeWhateverTheClockOfTheHostIsSetToAndSayWhyNothingStarts() {
        nanos += 5_000_000_000L;
        wallMs -= 172_800_000;
        assertEquals(5_000L, status.view().uptimeMs());
        assertEquals(1_767_225_600_000L, status.view().startedMs());
        assertNull(status.view().notReady());
        notReady = "record_lost";
        assertEquals("record_lost", status.view().notReady());
    }

    private void await(String captain) {
        admission.enter(new Admission.Applicant(new SpawnRequest.Asker(captain, false), 60_000, () -> false));
    }

    @Test
    void shouldShowACaptainItsOwnSpawnsAndRequestsAndAnAdminAll() {
        String captain = bench.spawn(bench.start("own")).captain();
        admission.hold(captain);
        await(captain);
        await("bob");
        GatewayView all = status.view(new Access("admin", Role.ADMIN, null, null, null));
        assertEquals(Map.of("running", 1), all.spawns());
        assertEquals(Map.of(captain, 1, "bob", 1), all.queue().captains());
        GatewayView own = status.view(new Access(captain, Role.CAPTAIN, null, null, null));
        assertEquals(Map.of("running", 1), own.spawns());
        assertEquals(Map.of(captain, 1), own.queue().captains());
        GatewayView others = status.view(new Access("bob", Role.CAPTAIN, null, null, null));
        assertEquals(List.of(new GatewayView.Host("build1", HostState.DOWN, "no route to host")), all.hosts());
        assertEquals(List.of(new GatewayView.Host("build1", HostState.DOWN, null)), own.hosts());
        assertEquals(Map.of(), others.spawns());
        assertEquals(Map.of("bob", 1), others.queue().captains());
        assertEquals(2, others.queue().waiting());
    }
}
