package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import org.junit.jupiter.api.Test;

class PendingSignInsTest {
    private final FakeTime time = new FakeTime();
    private final PendingSignIns pending = new PendingSignIns(time);

    private void refused(String why, String state, String cookie) {
        SignInRefusal refusal = assertThrows(SignInRefusal.class, () -> pending.take(state, cookie));
        assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
        assertEquals("state", refusal.reason());
    }

    @Test
    void shouldBeTakenOnceByItsBrowser() {
        PendingSignIns.Pending begun = pending.begin();
        assertEquals(begun, pending.take(begun.state(), begun.cookie()));
        refused("it was used", begun.state(), begun.cookie());
        assertEquals(0, pending.size());
    }

    @Test
    void shouldNotBeTakenByAnotherBrowserNorAfterwards() {
        PendingSignIns.Pending begun = pending.begin();
        PendingSignIns.Pending other = pending.begin();
        assertNotEquals(begun.state(), other.state());
        refused("another browser", begun.state(), other.cookie());
        refused("it was used", begun.state(), begun.cookie());
        refused("another browser", other.state(), null);
        refused("No sign-in waits", null, begun.cookie());
        refused("No sign-in waits", "", begun.cookie());
        refused("No sign-in waits", begun.cookie(), begun.cookie());
    }

    @Test
    void shouldExpire() {
        PendingSignIns.Pending begun = pending.begin();
        time.pass(PendingSignIns.PENDING_MS - 1);
        PendingSignIns.Pending later = pending.begin();
        time.pass(1);
        refused("took longer than 10 minutes", begun.state(), begun.cookie());
        assertEquals(later, pending.take(later.state(), later.cookie()));
    }

    @Test
    void shouldForgetTheOldestOfTooManyAndThoseThatExpired() {
        PendingSignIns.Pending first = pending.begin();
        PendingSignIns.Pending second = pending.begin();
        for (int i = 1; i < PendingSignIns.PENDING_MAX; i++) {
            pending.begin();
        }
        assertEquals(PendingSignIns.PENDING_MAX, pending.size());
        refused("No sign-in waits", first.state(), first.cookie());
        assertEquals(second, pending.take(second.state(), second.cookie()));
        time.pass(PendingSignIns.PENDING_MS);
        pending.begin();
        assertEquals(1, pending.size());
    }
}
