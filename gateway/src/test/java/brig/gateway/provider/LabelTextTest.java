package brig.gateway.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelTextTest {
    @Test
    void shouldLeaveWhatEachProviderTakes() {
        assertEquals("spn_0123456789abcdefghjkmnpq", LabelText.of("spn_0123456789abcdefghjkmnpq"));
        assertEquals("a.b-c", LabelText.of("a.b-c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "a=b", "a:b", "a/b", "a+b", "-a", "a-", "a b", "é", "a\n"})
    void shouldDigestAnythingElse(String value) {
        String digest = LabelText.of(value);
        assertTrue(digest.matches("sha\\.[0-9a-f]{40}"), digest);
        assertEquals(digest, LabelText.of(value));
        assertNotEquals(digest, LabelText.of(value + "x/"));
        assertTrue(LabelText.of("a".repeat(64)).startsWith("sha."));
    }
}
