package brig.egress.secret;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerSecretsTest {
    private static final String A = "BRIG_SECRET_" + "a".repeat(48);
    private static final String B = "BRIG_SECRET_" + "b".repeat(48);

    private final WorkerSecrets secrets = new WorkerSecrets("spn_1", Map.of("A", A, "B", B), List.of());

    @Test
    void shouldBeginWithPlaceholdersAndNoValue() {
        assertEquals(A, secrets.placeholder("A"));
        assertEquals("", secrets.placeholder("C"));
        assertNull(secrets.now().value("A"));
    }

    @Test
    void shouldStillTakeOutValuesThatWereInUse() {
        secrets.change(Map.of("A", "first-value"));
        secrets.change(Map.of("A", "second-value"));
        assertEquals("second-value", secrets.now().value("A"));
        assertEquals(A + " " + A, secrets.now().scrub("first-value second-value"));
        secrets.change(Map.of());
        assertNull(secrets.now().value("A"), "its source has no value any more");
        assertEquals(A, secrets.now().scrub("second-value"));
    }

    @Test
    void shouldKeepTheLastFourFormerValues() {
        for (int i = 0; i < 6; i++) {
            secrets.change(Map.of("A", "value-number-" + i));
        }
        assertEquals("value-number-0 " + A, secrets.now().scrub("value-number-0 value-number-1"));
    }

    @Test
    void shouldGiveARevokedSecretNoValueAgain() {
        secrets.change(Map.of("A", "value-of-a", "B", "value-of-b"));
        secrets.revoke("A");
        assertNull(secrets.now().value("A"));
        assertEquals("value-of-b", secrets.now().value("B"));
        assertEquals(A, secrets.now().scrub("value-of-a"));
        secrets.change(Map.of("A", "value-of-a", "B", "value-of-b"));
        assertNull(secrets.now().value("A"));
        WorkerSecrets again = new WorkerSecrets("spn_1", Map.of("A", A), List.of("A"));
        again.change(Map.of("A", "value-of-a"));
        assertNull(again.now().value("A"), "revoked before this process began");
    }
}
