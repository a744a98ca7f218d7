package brig.gateway.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** One sandbox at a time, with a provider that works or fails as a test says. */
class SandboxesTest {
    private final ProviderBench bench = new ProviderBench(true, 1);

    private List<String> there() {
        return bench.provider.sandboxes.values().stream().map(Sandbox::name).toList();
    }

    @Test
    void shouldMakeItLinkToItAndEndIt() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        assertTrue(session.ran);
        assertEquals(List.of(new SandboxName(ProviderBench.GATEWAY, session.spawnId).toString()), there());
        bench.end(session, null);
        bench.pass(5_000);
        assertEquals(List.of(), there());
        assertEquals(
                List.of(
                        "known " + Sandboxes.hostOf(session.spawnId),
                        "up " + Sandboxes.hostOf(session.spawnId),
                        "forgotten " + Sandboxes.hostOf(session.spawnId)),
                bench.told);
    }

    @Test
    void shouldTellOfACutOnlyWhenItLasts() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        bench.told.clear();
        bench.cut(session, "the test cuts it");
        bench.pass(SandboxLink.GRACE_MS + 1_000);
        assertEquals(List.of(), bench.told);

        bench.provider.faults = 100;
        bench.cut(session, "the test cuts it");
        bench.pass(SandboxLink.GRACE_MS + 1_000);
        assertEquals(List.of("down " + Sandboxes.hostOf(session.spawnId)), bench.told);
        bench.provider.faults = 0;
        bench.pass(60_000);
        assertEquals("up " + Sandboxes.hostOf(session.spawnId), bench.told.getLast());
    }

    @Test
    void shouldSayThatItIsGone() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        bench.provider.sandboxes.clear();
        bench.cut(session, "the test cuts it");
        bench.pass(60_000);
        assertFalse(session.live);
        assertEquals(ErrorCode.WORKER_LOST, session.failure);
    }

    @Test
    void shouldWaitForWhatIsNotShownYet() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        Map<String, Sandbox> hidden = Map.copyOf(bench.provider.sandboxes);
        bench.provider.sandboxes.clear();
        bench.cut(session, "the test cuts it");
        bench.pass(FakeProvider.LAG_MS);
        assertTrue(session.live);
        bench.provider.sandboxes.putAll(hidden);
        bench.pass(60_000);
        assertEquals("up " + Sandboxes.hostOf(session.spawnId), bench.told.getLast());

        bench.provider.sandboxes.clear();
        bench.restart();
        bench.pass(4 * FakeProvider.LAG_MS);
        assertTrue(session.live, "the next gateway never saw it");
    }

    @Test
    void shouldEndASessionWhoseTimeIsOverAndThenItsSandbox() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        bench.pass(ProviderBench.LIFE_MS);
        bench.pass(2 * Sandboxes.ROUND_MS);
        assertTrue(bench.told.contains("overdue"));
        bench.pass(Sandboxes.OVERDUE_MS + 2 * Sandboxes.ROUND_MS);
        assertEquals(List.of(), there());
        assertFalse(session.live);
    }

    @Test
    void shouldShowWhatIsThereAndWhatShouldNotBe() {
        ProviderBench.Session session = bench.begin();
        bench.provider.plant("somebody-elses");
        bench.pass(30_000);
        bench.provider.faults = 0;
        Sandboxes.Showing own = show(false);
        assertEquals(1, own.sandboxes().size());
        assertEquals(session.spawnId, own.sandboxes().getFirst().spawnId());
        assertFalse(own.sandboxes().getFirst().isDue());
        assertEquals(2, show(true).sandboxes().size());
        assertTrue(show(true).sandboxes().stream()
                .anyMatch(one -> one.isForeign() && !one.isDue() && one.dollarsPerHour() == 0));
        session.live = false;
        assertTrue(show(false).sandboxes().getFirst().isDue());
    }

    private Sandboxes.Showing show(boolean all) {
        var asked = bench.sandboxes.show(all).toCompletableFuture();
        bench.pass(FakeProvider.CALL_MS);
        return asked.getNow(new Sandboxes.Showing(List.of(), List.of()));
    }

    @Test
    void shouldRefuseAProviderThatIsNotThere() {
        BrigException refusal = assertThrows(BrigException.class, () -> bench.sandboxes.require("moon"));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains("local, cloud"));
    }

    @Test
    void shouldStandStillUntilItIsResumed() {
        bench.provider.pauses = true;
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        bench.told.clear();
        settled(bench.sandboxes.pause(session.spawnId));
        assertEquals(List.of("down " + Sandboxes.hostOf(session.spawnId)), bench.told);
        int uses = bench.provider.uses;
        bench.pass(60_000);
        assertEquals(uses, bench.provider.uses, "nothing can run there");
        assertEquals(List.of("down " + Sandboxes.hostOf(session.spawnId)), bench.told);
        assertEquals(Sandbox.State.PAUSED, show(false).sandboxes().getFirst().state());
        settled(bench.sandboxes.resume(session.spawnId));
        bench.pass(30_000);
        assertEquals(uses + 1, bench.provider.uses, "one dial: the worker-agent runs there");
        assertEquals("up " + Sandboxes.hostOf(session.spawnId), bench.told.getLast());
        assertTrue(session.live);
    }

    private void settled(CompletionStage<Void> call) {
        CompletableFuture<Void> result = call.toCompletableFuture();
        bench.pass(FakeProvider.CALL_MS);
        assertTrue(result.isDone() && !result.isCompletedExceptionally(), result::toString);
    }

    @Test
    void shouldRefuseToPauseWhatCannotBePaused() {
        ProviderBench.Session session = bench.begin();
        bench.pass(30_000);
        BrigException unable = assertThrows(BrigException.class, () -> bench.sandboxes.pause(session.spawnId));
        assertEquals(ErrorCode.PROVIDER_REFUSED, unable.code());
        assertTrue(String.valueOf(unable.getMessage()).contains("lacks the capability 'pause'"));
        BrigException none = assertThrows(BrigException.class, () -> bench.sandboxes.pause("spn_none"));
        assertEquals(ErrorCode.INVALID_FIELD, none.code());
        bench.provider.pauses = true;
        ProviderBench.Session early = bench.begin();
        while (there().size() < 2) {
            bench.pass(250);
        }
        BrigException soon = assertThrows(BrigException.class, () -> bench.sandboxes.pause(early.spawnId));
        assertEquals(ErrorCode.SESSION_NOT_READY, soon.code());
    }
}
