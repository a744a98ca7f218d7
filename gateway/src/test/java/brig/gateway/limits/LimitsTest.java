package brig.gateway.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import org.junit.jupiter.api.Test;

class LimitsTest {
    private final CountLimit limit = new CountLimit(2, ErrorCode.MAX_WORKERS, "workersMax");

    private Lease take(String key) {
        limit.check(key, 1);
        return limit.hold(key);
    }

    @Test
    void shouldRefuseWhenAllSlotsOfAKeyAreTaken() {
        take("a");
        Lease second = take("a");
        BrigException refusal = assertThrows(BrigException.class, () -> take("a"));
        assertEquals(ErrorCode.MAX_WORKERS, refusal.code());
        assertTrue(refusal.getMessage().contains("limits.workersMax (2)"), refusal::getMessage);
        assertTrue(refusal.retryAfterSeconds().isPresent());
        assertEquals(2, limit.count("a"), "a refusal takes nothing");
        take("b");
        second.close();
        take("a");
    }

    @Test
    void shouldGiveBackOnceWhenALeaseIsClosedTwice() {
        Lease first = take("a");
        take("a");
        first.close();
        first.close();
        assertEquals(1, limit.count("a"));
    }

    @Test
    void shouldForgetAKeyWhenItsLastLeaseIsClosed() {
        Lease only = take("a");
        assertEquals(1, limit.count("a"));
        only.close();
        assertEquals(0, limit.count("a"));
    }

    @Test
    void shouldCountBeyondTheLimitWhenSomethingExistsAlready() {
        for (int i = 0; i < 3; i++) {
            limit.hold("a");
        }
        Lease last = limit.hold("a");
        assertEquals(4, limit.count("a"));
        last.close();
        assertThrows(BrigException.class, () -> take("a"));
        assertEquals(3, limit.count("a"));
    }

    @Test
    void shouldRefuseUntilTheCooldownHasPassedToTheMillisecond() {
        Cooldown cooldown = new Cooldown(1_500);
        cooldown.check("a", 1_000);
        cooldown.note("a", 1_000);
        assertEquals(2, refused(cooldown, "a", 1_000));
        assertEquals(1, refused(cooldown, "a", 2_499));
        cooldown.check("a", 2_500);
        cooldown.check("b", 1_000);
    }

    private static int refused(Cooldown cooldown, String captain, long nowMs) {
        BrigException refusal = assertThrows(BrigException.class, () -> cooldown.check(captain, nowMs));
        assertEquals(ErrorCode.COOLDOWN, refusal.code());
        return refusal.retryAfterSeconds().orElseThrow();
    }

    @Test
    void shouldBeginAnewWhenACaptainActsAgain() {
        Cooldown cooldown = new Cooldown(1_000);
        cooldown.note("a", 0);
        cooldown.note("b", 500);
        cooldown.note("a", 1_000);
        cooldown.check("b", 1_500);
        refused(cooldown, "a", 1_999);
        cooldown.check("a", 2_000);
    }

    @Test
    void shouldNeverRefuseWhenThereIsNoCooldown() {
        Cooldown none = new Cooldown(0);
        none.note("a", 7);
        none.check("a", 7);
    }
}
