package brig.gateway.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.gateway.limits.Admission;
import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.Deadlines;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.FakeTime;
import brig.protocol.api.PruneAnswer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GatewayStatusTest {
    private final FakeTime time = new FakeTime();
    private long wallMs = 1_767_225_600_000L;
    private long nanos = 42;
    private @Nullable String notReady;

    @Test
    void shouldCountItsAgeWhateverTheClockOfTheHostIsSetToAndSayWhyNothingStarts() {
        Admission admission = new Admission(new Admission.Bounds(1, 1, 0, 1), () -> wallMs, time);
        ConnectionGuard connectionGuard =
                new ConnectionGuard(new ConnectionGuard.Bounds(8, 1, 8, 8), new Deadlines(1, 1, 1, 1), time);
        Sessions sessions =
                new Sessions(new Spawns(), (spawn, reason, by) -> CompletableFuture.completedFuture(null), time);
        GatewayStatus status = new GatewayStatus(
                sessions,
                connectionGuard,
                new OperatorControls(
                        admission,
                        (deadlineMs, handOver) -> {},
                        (dryRun, by) -> CompletableFuture.completedFuture(
                                new PruneAnswer(dryRun, 0, 0, Map.of(), new PruneAnswer.Kept(0, 0))),
                        () -> notReady),
                () -> wallMs,
                () -> nanos);
        nanos += 5_000_000_000L;
        wallMs -= 172_800_000;
        assertEquals(5_000L, status.view().uptimeMs());
        assertEquals(1_767_225_600_000L, status.view().startedMs());
        assertNull(status.view().notReady());
        notReady = "record_lost";
        assertEquals("record_lost", status.view().notReady());
    }
}
