package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {
    private static final long NOW_MS = 1_767_225_600_000L;

    @Test
    void shouldMakeIdsThatSortByAgeAndAreRecognised() {
        List<Long> times = List.of(0L, 1L, 31L, 32L, NOW_MS, NOW_MS + 1, (1L << 45) - 1);
        List<String> ids = times.stream().map(Ids::newSpawnId).toList();
        assertEquals(ids, ids.stream().sorted().toList());
        ids.forEach(id -> assertTrue(Ids.isSpawnId(id) && Ids.isTaskId(id), id));
    }

    @Test
    void shouldNeverMakeTheSameTwice() {
        Set<String> made = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            made.add(Ids.newSpawnId(NOW_MS));
            made.add(Ids.newToken());
        }
        assertEquals(2000, made.size());
    }

    @Test
    void shouldTellWhenAnAskWasMade() {
        for (long ms : new long[] {0, 1, 1_767_225_600_123L, (1L << 45) - 1}) {
            assertEquals(ms, Ids.askedMs(Ids.newAskId(ms)));
        }
    }

    @Test
    void shouldLookAsTheProtocolSaysWhenMade() {
        assertTrue(Ids.newToken().matches("brig_[A-Za-z0-9_-]{43}"));
        assertTrue(Ids.newEpoch().matches("[0-9a-z]{8}"));
        assertTrue(StreamPosition.parse(Ids.newEpoch() + "-1").isPresent());
    }

    @Test
    void shouldHashWithSha256() {
        assertEquals("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", Ids.hashToken("abc"));
    }

    @Test
    void shouldKnowATokenByItsWholeHash() {
        String hash = Ids.hashToken("a");
        assertTrue(Ids.isToken("a", hash));
        assertFalse(Ids.isToken("b", hash));
        assertFalse(Ids.isToken("a", hash.substring(1)));
        assertFalse(Ids.isToken("a", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "-x", "_x", "a/b", "a b", "a\n", "a\0", "\u00e9", "../a"})
    void shouldRefuseATaskIdWhenItIsNoPlainFileName(String text) {
        assertFalse(Ids.isTaskId(text));
    }

    @Test
    void shouldBoundATaskIdAt128Characters() {
        assertTrue(Ids.isTaskId("a") && Ids.isTaskId("9._-Z") && Ids.isTaskId("a".repeat(128)));
        assertFalse(Ids.isTaskId("a".repeat(129)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "spn_",
                "spn_01kdvw5v09s6yx3m8q2t7n4",
                "spn_01kdvw5v09s6yx3m8q2t7n4ee",
                "spn_01KDVW5V09S6YX3M8Q2T7N4E",
                "ses_01kdvw5v09s6yx3m8q2t7n4e",
                "spn_01kdvw5v09s6yx3m8q2t7n4e\n"
            })
    void shouldRefuseASpawnIdWhenItWasNotMadeHere(String text) {
        assertFalse(Ids.isSpawnId(text));
    }

    @Test
    void shouldCompareRequestIdsInLowerCase() {
        assertEquals(
                "8e03978e-40d5-43dd-bc93-6894a57f9324", Ids.requestId("x", "8E03978E-40D5-43dd-bc93-6894a57f9324"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8e03978e40d543ddbc936894a57f9324",
                "8e03978e-40d5-43dd-bc93-6894a57f932",
                "8e03978e-40d5-43dd-bc93-6894a57f9324\n",
                "ge03978e-40d5-43dd-bc93-6894a57f9324"
            })
    void shouldNameTheFieldWhenARequestIdIsNoUuid(String text) {
        assertTrue(assertThrows(BrigException.class, () -> Ids.requestId("here", text))
                .getMessage()
                .contains("'here'"));
    }

    @Test
    void shouldMakeATokenOfGivenBytes() {
        assertEquals("brig_" + "A".repeat(43), Ids.token(new byte[32]));
        assertThrows(IllegalArgumentException.class, () -> Ids.token(new byte[31]));
    }
}
