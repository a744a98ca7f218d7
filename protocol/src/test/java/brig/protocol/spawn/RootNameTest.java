package brig.protocol.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RootNameTest {
    private static final String DIGEST = "@sha256:" + "a".repeat(64);

    private static RootName both(String one, String other) {
        return RootName.parse("root", one).and(RootName.parse("root", other));
    }

    @Test
    void shouldTakeTheDigestOfEither() {
        assertEquals("oci:a" + DIGEST, String.valueOf(both("oci:a", "oci:a" + DIGEST)));
        assertEquals("oci:a" + DIGEST, String.valueOf(both("oci:a" + DIGEST, "oci:a")));
        assertEquals("oci:a", String.valueOf(both("oci:a", "oci:a")));
        assertEquals(RootName.HOST, both("host", "host"));
    }

    @ParameterizedTest
    @CsvSource({"oci:a, oci:b", "oci:a, host", "host, oci:a"})
    void shouldBeNothingWhenRootsDiffer(String one, String other) {
        assertNull(both(one, other));
    }

    @Test
    void shouldBeNothingWhenDigestsDiffer() {
        assertNull(both("oci:a" + DIGEST, "oci:a@sha256:" + "b".repeat(64)));
    }
}
