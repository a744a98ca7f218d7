package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Access;
import brig.gateway.auth.Tickets;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.Role;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tickets of two gateways. */
class SharedTicketsTest {
    private static final Access ALICE = new Access("alice", Role.CAPTAIN, null, "brig_secret", "tok_1");

    private final FakeTime time = new FakeTime();
    private final MemoryShared shared = new MemoryShared(time, new Random(1));
    private final MemoryShared.End one = shared.new End("g1", Runnable::run);
    private final MemoryShared.End other = shared.new End("g2", Runnable::run);
    private final Tickets first = new Tickets(new SharedTickets(one.table(shared.tokens)), time);
    private final Tickets second = new Tickets(new SharedTickets(other.table(shared.tokens)), time);

    private <T> CompletableFuture<T> settled(CompletionStage<T> stage) {
        time.pass(3_000);
        return stage.toCompletableFuture();
    }

    private ErrorCode refusal(CompletionStage<?> stage) {
        CompletionException failure = assertThrows(CompletionException.class, settled(stage)::join);
        return ((BrigException) Reason.cause(failure)).code();
    }

    private String issue() {
        return settled(first.issue(ALICE, "spn_1", true)).join().secret();
    }

    @Test
    void shouldBeRedeemedAtAnyGatewayAndOnce() {
        String ticket = issue();
        assertEquals(
                new Access("alice", Role.WATCHER, "spn_1", null, "tok_1"),
                settled(second.redeem(ticket)).join());
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(first.redeem(ticket)));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(second.redeem(ticket)));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(second.redeem("brig_no_such")));
    }

    @Test
    void shouldBeRedeemedOnceWhenSeveralTryAtOnce() {
        for (int i = 0; i < 100; i++) {
            String ticket = issue();
            CompletionStage<Access> here = first.redeem(ticket);
            CompletionStage<Access> there = second.redeem(ticket);
            settled(here);
            assertEquals(
                    1,
                    Stream.of(here, there)
                            .filter(tried -> !tried.toCompletableFuture().isCompletedExceptionally())
                            .count());
        }
    }

    @Test
    void shouldExpireEverywhere() {
        String ticket = issue();
        time.pass(Tickets.TICKET_MS);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(second.redeem(ticket)));
    }

    @Test
    void shouldOpenNothingWhileNatsDoesNotAnswer() {
        String ticket = issue();
        other.cut = true;
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(second.redeem(ticket)));
        assertEquals(ErrorCode.HOST_UNREACHABLE, refusal(second.issueSignIn("oidc:ann", Role.CAPTAIN, 60_000)));
        assertEquals("alice", settled(first.redeem(ticket)).join().captain());
    }

    /** Scenario: answers get lost; whoever is told that a ticket opens is the only one. */
    @Test
    void shouldBeRedeemedAtMostOnceWhenAnswersAreLost() {
        int redeemed = 0;
        for (int i = 0; i < 200; i++) {
            String ticket = issue();
            shared.losesPercent = 30;
            CompletionStage<Access> here = first.redeem(ticket);
            CompletionStage<Access> there = second.redeem(ticket);
            time.pass(30_000);
            shared.losesPercent = 0;
            long opened = Stream.of(here, there)
                    .filter(tried -> !tried.toCompletableFuture().isCompletedExceptionally())
                    .count();
            assertTrue(opened <= 1);
            redeemed += (int) opened;
        }
        assertTrue(redeemed > 100, "most are: " + redeemed);
    }

    @Test
    void shouldKeepNoSecret() {
        String ticket = issue();
        String kept =
                new String(shared.tokens.entries.values().iterator().next().value());
        assertTrue(kept.contains("alice") && !kept.contains(ticket) && !kept.contains("brig_secret"), kept);
    }
}
