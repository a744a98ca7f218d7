package brig.cli.tty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DetachKeysTest {
    private static final String ESC = "\u001b";

    private final DetachKeys keys = DetachKeys.of(DetachKeys.USUAL);

    @Test
    void shouldPassEverythingElse() {
        assertEquals(
                "hello" + ESC + "[A" + ESC + "[1;5C\u0011\ud83d\ude00",
                keys.take("hello" + ESC + "[A" + ESC + "[1;5C\u0011\ud83d\ude00"));
        assertFalse(keys.areTyped());
    }

    @Test
    void shouldHoldTheFirstKeyUntilItIsKnownWhatItIs() {
        assertEquals("a", keys.take("a\u0010"));
        assertEquals("\u0010b", keys.take("b"));
        assertFalse(keys.areTyped());
    }

    @Test
    void shouldGiveUpAKeyThatWaits() {
        keys.take("\u0010");
        assertTrue(keys.isWaiting());
        assertEquals("\u0010", keys.release());
        assertFalse(keys.isWaiting());
        assertEquals("\u0011", keys.take("\u0011"));
        keys.take("\u0010\u0011");
        assertEquals("", keys.release());
        assertTrue(keys.areTyped());
    }

    @Test
    void shouldFindTheSequenceBehindItsOwnBeginning() {
        assertEquals("\u0010", keys.take("\u0010\u0010"));
        assertEquals("", keys.take("\u0011never"));
        assertTrue(keys.areTyped());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0010\u0011",
                "\u001b[112;5u\u001b[113;5u",
                "\u001b[112;5:1u\u001b[113;5:1u",
                "\u001b[112:80;5u\u001b[113:81:113;5u",
                // With Num Lock, and with all that can be told: Ctrl goes down, p down and up, Ctrl up and down, q
                // down.
                "\u001b[112;133u\u001b[113;133u",
                "\u001b[57442;5:1u\u001b[112;5:1u\u001b[112;5:3u\u001b[57442;1:3u\u001b[57442;5:1u\u001b[113;5:1u",
                "\u001b[27;5;112~\u001b[27;5;113~",
                "\u0010\u001b[113;5u"
            })
    void shouldKnowTheKeysInEachFormThatAnAgentCanAskFor(String typed) {
        for (int i = 0; i < typed.length() && !keys.areTyped(); i = end(typed, i)) {
            keys.take(typed.substring(i, end(typed, i)));
        }
        assertTrue(keys.areTyped());
    }

    /** A terminal sends a key in one piece. */
    private static int end(String typed, int from) {
        int next = typed.indexOf(ESC, from + 1);
        return typed.charAt(from) != ESC.charAt(0) ? from + 1 : next < 0 ? typed.length() : next;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[112;6u\u001b[113;5u",
                "\u001b[112u\u001b[113u",
                "pq",
                "\u001b[112;5:3u\u001b[113;5:3u",
                "\u001b[27;3;112~\u001b[27;5;113~",
                "\u001b[9999999;999u\u001b[u\u001b[;u\u001b[27;5u"
            })
    void shouldNotTakeOtherKeysForThem(String typed) {
        assertEquals(typed, keys.take(typed));
        assertFalse(keys.areTyped());
    }

    @Test
    void shouldTakeOtherSequences() {
        DetachKeys one = DetachKeys.of("ctrl-]");
        assertEquals("ab", one.take("ab\u001dc"));
        assertTrue(one.areTyped());
        DetachKeys two = DetachKeys.of("ctrl-a,d");
        assertEquals("\u0001x", two.take("\u0001x\u0001"));
        assertEquals("", two.take("d"));
        assertTrue(two.areTyped());
        DetachKeys none = DetachKeys.of("");
        assertEquals("\u0010\u0011", none.take("\u0010\u0011"));
        assertFalse(none.areTyped());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {",", "ctrl-", "ctrl-P", "ctrl-1", "ab", "ctrl-p ctrl-q", "\u00e9", "\u0010", "a,b,c,d,e,f,g,h,i"
            })
    void shouldRefuseWhatIsNoListOfKeys(String option) {
        assertThrows(BrigException.class, () -> DetachKeys.of(option));
    }
}
