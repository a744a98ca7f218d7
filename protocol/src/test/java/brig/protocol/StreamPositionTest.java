package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamPositionTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 42, Limits.SEQ_MAX})
    void shouldComeBackWhenItWasWritten(long seq) {
        StreamPosition position = new StreamPosition("4h2k9x0c", seq);
        assertEquals(Optional.of(position), StreamPosition.parse(position.toString()));
    }

    @Test
    void shouldLookAsTheProtocolSays() {
        assertEquals("4h2k9x0c-41", new StreamPosition("4h2k9x0c", 41).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "4h2k9x0c",
                "4h2k9x0c-",
                "4h2k9x0c--1",
                "4h2k9x0c-1x",
                "4h2k9x0c-1\n",
                "4H2K9X0C-1",
                "4h2k9x0-1",
                "4h2k9x0cc-1",
                "4h2k9x0c-9223372036854775807",
                "4h2k9x0c-99999999999999999999",
                "4h2k9x0c-1e3",
                "earliest",
                " 4h2k9x0c-1",
                "4h2k9x0c-\u0661"
            })
    void shouldBeNoneWhenTheTextIsAnythingElse(String text) {
        assertEquals(Optional.empty(), StreamPosition.parse(text));
    }
}
