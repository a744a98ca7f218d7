package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DerivedSecretsTest {
    private static final byte[] REQUEST = "{}".getBytes(StandardCharsets.UTF_8);

    private final DerivedSecrets before = new DerivedSecrets("old");
    private final DerivedSecrets rotated = new DerivedSecrets(List.of("new", "old"));
    private final DerivedSecrets after = new DerivedSecrets(List.of("new"));

    @Test
    void shouldGiveTheTokenOfAnOlderKeyAgainWhileThatKeyIsThere() {
        String token = before.token("captain", "spn_1");
        String hash = Ids.hash(token);
        assertEquals(token, rotated.token("captain", "spn_1", hash));
        assertNotEquals(token, after.token("captain", "spn_1", hash));
    }

    @Test
    void shouldMakeNewTokensWithTheNewestKey() {
        assertEquals(after.token("captain", "spn_1"), rotated.token("captain", "spn_1"));
        assertNotEquals(rotated.token("captain", "spn_1"), rotated.token("watcher", "spn_1"));
    }

    @Test
    void shouldKnowTheSameRequestAgainAfterTheKeyChanged() {
        assertTrue(rotated.isFingerprint(before.fingerprint(REQUEST), REQUEST));
        assertFalse(after.isFingerprint(before.fingerprint(REQUEST), REQUEST));
    }
}
