package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingSignInsTest {
    private static final byte[] KEY = key(1);

    private final FakeTime time = new FakeTime();
    private final PendingSignIns pending = new PendingSignIns(List.of(KEY), time);

    private static byte[] key(int value) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) value);
        return key;
    }

    private void refused(String why, String state, String cookie) {
        SignInRefusal refusal = assertThrows(SignInRefusal.class, () -> pending.find(state, cookie));
        assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
        assertEquals("state", refusal.reason());
    }

    @Test
    void shouldBeFoundInItsBrowserByEveryGatewayWithTheKey() {
        PendingSignIns.Pending begun = pending.begin();
        assertEquals(begun, pending.find(begun.state(), begun.cookie()));
        PendingSignIns newer = new PendingSignIns(List.of(key(2), KEY), time);
        assertEquals(begun, newer.find(begun.state(), begun.cookie()));
        PendingSignIns.Pending later = newer.begin();
        refused("another browser", later.state(), later.cookie());
    }

    @Test
    void shouldNotBeFoundInAnotherBrowser() {
        PendingSignIns.Pending begun = pending.begin();
        PendingSignIns.Pending other = pending.begin();
        assertNotEquals(begun.state(), other.state());
        refused("another browser", begun.state(), other.cookie());
        refused("another browser", begun.state(), null);
        refused("another browser", "", begun.cookie());
        refused("No sign-in waits", null, begun.cookie());
    }

    @Test
    void shouldExpire() {
        PendingSignIns.Pending begun = pending.begin();
        time.pass(PendingSignIns.PENDING_MS - 1);
        assertEquals(begun, pending.find(begun.state(), begun.cookie()));
        time.pass(1);
        refused("took longer than 10 minutes", begun.state(), begun.cookie());
    }

    @Test
    void shouldRefuseEveryCookieThatWasChangedOrMade() {
        PendingSignIns.Pending begun = pending.begin();
        byte[] sealed = Base64.getUrlDecoder().decode(begun.cookie());
        for (int i = 0; i < sealed.length; i++) {
            byte[] changed = sealed.clone();
            changed[i] ^= 1;
            refused("another browser", begun.state(), text(changed));
            refused("another browser", begun.state(), text(Arrays.copyOf(sealed, i)));
        }
        for (String made : List.of("", "%", "AAAA", "A".repeat(10_000), "{\"state\":\"" + begun.state() + "\"}")) {
            refused("another browser", begun.state(), made);
        }
    }

    @Test
    void shouldShowNothingToTheBrowser() {
        PendingSignIns.Pending begun = pending.begin();
        String seen = new String(Base64.getUrlDecoder().decode(begun.cookie()), StandardCharsets.ISO_8859_1);
        for (String secret : List.of(begun.state(), begun.nonce(), begun.verifier())) {
            assertFalse(seen.contains(secret) || begun.cookie().contains(secret));
        }
        assertTrue(begun.cookie().length() < 400, begun::cookie);
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
