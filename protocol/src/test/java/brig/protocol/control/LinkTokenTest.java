package brig.protocol.control;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkTokenTest {
    private static final byte[] KEY = "00112233".getBytes(US_ASCII);
    private static final String SPAWN = "spn_01kdvk6w3q5h8b2n7r4t9x6m";
    private final LinkToken link = new LinkToken("0123456789ab", SPAWN);

    @Test
    void shouldTakeItsOwnTokens() {
        assertEquals(OptionalLong.of(1_767_225_600_000L), link.epochOf(link.sign(KEY, 1_767_225_600_000L), KEY));
    }

    @Test
    void shouldTakeNoTokenOfAnotherKeyGatewaySpawnOrEpoch() {
        String token = link.sign(KEY, 7);
        assertTrue(link.epochOf(token, "00112234".getBytes(US_ASCII)).isEmpty());
        assertTrue(new LinkToken("0123456789ac", SPAWN).epochOf(token, KEY).isEmpty());
        assertTrue(new LinkToken("0123456789ab", SPAWN.replace('m', 'n'))
                .epochOf(token, KEY)
                .isEmpty());
        assertTrue(link.epochOf(token.replace("1.7.", "1.8."), KEY).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1..", "1.7", "2.7.", "1.-7.", "1.07.", "1.9999999999999999999.", "1.7.\n"})
    void shouldTakeNothingElse(String start) {
        String mac = link.sign(KEY, 7).substring(4);
        assertTrue(link.epochOf(start + mac, KEY).isEmpty());
        assertTrue(link.epochOf(start, KEY).isEmpty());
    }

    @Test
    void shouldTakeNoTokenWithMoreAtItsEnds() {
        String token = link.sign(KEY, 7);
        assertTrue(link.epochOf(token + " ", KEY).isEmpty());
        assertTrue(link.epochOf(" " + token, KEY).isEmpty());
        assertTrue(link.epochOf(token.toUpperCase(java.util.Locale.ROOT), KEY).isEmpty());
    }
}
