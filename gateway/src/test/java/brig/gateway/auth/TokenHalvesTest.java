package brig.gateway.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import brig.protocol.Ids;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two halves are a token, and one is nothing. */
class TokenHalvesTest {
    private static final int TIMES = 100;

    @Test
    void shouldMakeTheTokenOfBothHalvesAndOfNoOthers() {
        String token = Ids.newToken();
        TokenHalves halves = TokenHalves.of(token);
        assertEquals(Optional.of(token), TokenHalves.join(halves.cookie(), halves.key()));
        TokenHalves others = TokenHalves.of(token);
        assertNotEquals(Optional.of(token), TokenHalves.join(halves.cookie(), others.key()));
        assertNotEquals(Optional.of(token), TokenHalves.join(others.cookie(), halves.key()));
    }

    @Test
    void shouldSayNothingOfTheTokenInAHalf() {
        String token = Ids.newToken();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < TIMES; i++) {
            TokenHalves halves = TokenHalves.of(token);
            seen.add(halves.cookie());
            seen.add(halves.key());
        }
        assertEquals(2 * TIMES, seen.size(), "each is random");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "null",
                "''",
                "short",
                "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            })
    void shouldTakeNoHalfThatIsNone(String wrong) {
        TokenHalves halves = TokenHalves.of(Ids.newToken());
        assertEquals(Optional.empty(), TokenHalves.join(wrong, halves.key()));
        assertEquals(Optional.empty(), TokenHalves.join(halves.cookie(), wrong));
    }
}
