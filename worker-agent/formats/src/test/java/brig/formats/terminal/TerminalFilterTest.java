package brig.formats.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalFilterTest {
    private static final String ESC = "\u001b";
    private static final List<String> STRINGS = List.of(
            ESC + "]", ESC + "P", ESC + "_", ESC + "^", ESC + "X", "\u009d", "\u0090", "\u009f", "\u009e", "\u0098");
    private static final List<String> STRING_ENDS = List.of("\u0007", ESC + "\\", "\u009c", "\u0018", "\u001a");

    /** All that may come out: nothing of it asks, and nothing of it acts beyond the screen, keys and mouse. */
    private static final Pattern HARMLESS =
            Pattern.compile(("(?:[^\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]"
                            + "|[\\x07\\x08\\t\\n\\r\\x0e\\x0f]|~[78DEHM=>no]|~#8|~[(-+][0AB]"
                            + "|~\\[(?:\\d{0,4}(?:;\\d{0,4})?[@A-ILMPSXZ`abdefrT]|[03]?g|[0-2]?[JK]|[0-9;:]*m|[su]|[!]p|[0-6] q"
                            + "|(?:4|20|4;20)[hl]|>4;[0-3]m|[<>]\\d{0,2}u|=\\d{1,2};[123]u"
                            + "|\\?(?:(?:1|5|6|7|9|12|25|47|66|100[0234567]|101[56]|104[789]|2004|2026);?)+[hl]))*+")
                    .replace("~", "\\x1b"));

    private static String passed(String... pieces) {
        TerminalFilter filter = new TerminalFilter();
        StringBuilder passed = new StringBuilder();
        for (String piece : pieces) {
            filter.filter(piece, passed);
        }
        return passed.toString();
    }

    private static String quoted(CharSequence text) {
        return text.toString().replace(ESC, "~");
    }

    private static void checkHarmless(String passed, String of) {
        assertTrue(HARMLESS.matcher(passed).matches(), () -> quoted(of) + " gave " + quoted(passed));
    }

    /** Each form of control character and sequence that a terminal could know. */
    private static List<String> forms() {
        List<String> forms = new ArrayList<>();
        for (char c = 0; c < 0xa0; c++) {
            forms.add(String.valueOf(c));
            forms.add(ESC + c);
        }
        for (char between = ' '; between < '0'; between++) {
            for (char last = '0'; last < 0x7f; last++) {
                forms.add(ESC + between + last);
                forms.add(ESC + "[1" + between + last);
            }
        }
        for (String begin : List.of(ESC + "[", "\u009b")) {
            for (String parameters : List.of(
                    "",
                    "0",
                    "3",
                    "5",
                    "6",
                    "14",
                    "21",
                    "2;3",
                    "22;0;0",
                    "38:5:1",
                    "?1",
                    "?5",
                    "?6",
                    "?996",
                    "?1049",
                    "?2048",
                    ">",
                    ">0",
                    ">1",
                    ">4;2",
                    "<1",
                    "=1",
                    "=5;2",
                    "?25$",
                    "0$",
                    "61\"",
                    "1;2;3;4;5",
                    "9".repeat(80))) {
                for (char last = '@'; last < 0x7f; last++) {
                    forms.add(begin + parameters + last);
                }
            }
        }
        for (String begin : STRINGS) {
            for (String end : STRING_ENDS) {
                for (String content : List.of(
                        "0;title",
                        "52;c;cm0gLXJm",
                        "8;;file:///etc",
                        "7;file:///",
                        "9;notice",
                        "777;notify;a;b",
                        "11;?",
                        "1337;File=inline=1:AAAA",
                        "4;1;?",
                        "$q\"p",
                        "+q544e",
                        "tmux;" + ESC + ESC + "[5n",
                        "q#1",
                        "Ga=q")) {
                    forms.add(begin + content + end);
                }
            }
        }
        return forms;
    }

    @Test
    void shouldPassNothingThatAsksOrActsElsewhere() {
        for (String form : forms()) {
            checkHarmless(passed("a" + form + "b"), form);
        }
    }

    @Test
    void shouldPassTheSameWhereverItIsCut() {
        for (String form : forms()) {
            String text = "a" + form + "b\r\nc\ud83d\ude00" + form;
            assertEquals(passed(text), passed(text.split("")), () -> quoted(form));
        }
    }

    @Test
    void shouldPassNothingHarmfulWhateverComes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String likely = ESC + ESC + ESC
                + "[[]PX^_\\0123456789;:?><=$ !\"mhlnctpqurJRi\u0007\u0018\u001a\r\n\u009b\u009d\u0090\u009c\u0085\u202eé\ud83d\ude00";
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(60); i >= 0; i--) {
                text.append(
                        random.nextInt(10) == 0
                                ? (char) random.nextInt(0x300)
                                : likely.charAt(random.nextInt(likely.length())));
            }
            String whole = passed(text.toString());
            checkHarmless(whole, "seed " + seed + ": " + text);
            int at = random.nextInt(text.length());
            assertEquals(whole, passed(text.substring(0, at), text.substring(at)), () -> "seed " + seed);
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "~[2;5Hx,             ~[2;5Hx",
                "~[;5H,               ~[;5H",
                "~[38:2::1:2:3m,      ~[38:2::1:2:3m",
                "~[?1049;25;9999h,    ~[?1049h~[?25h",
                "~[?J,                ~[J",
                "~[3J,                ``",
                "~[999999b,           ~[2000b",
                "~[6nx,               x",
                "~[?uy~[>c~[c,        y",
                "~[4;2;20h,           ~[4h~[20h",
                "~(0q~(B,             ~(0q~(B",
                "~(K,                 ~(B",
                "~]0;title~\\x,       x",
                "~P+q544e~\\x,        x",
                "a~[3~[31mb,          a~[31mb",
                "~[>1u~[<9u~[<1u,     ~[>1u~[<1u",
                "~[=1u,               ~[>1u",
                "~[>1u~[=3;2u,        ~[>1u~[=3;2u",
                "~[?1049h~[>5u~[?1049l, ~[?1049h~[>5u~[<1u~[?1049l",
                "~[5 q,               ~[5 q",
                "~[?1000;1006h,       ~[?1000h~[?1006h",
                "~[18t~[22;0;0t,      ``"
            })
    void shouldWriteAnewWhatDraws(String written, String expected) {
        assertEquals(expected, quoted(passed(written.replace("~", ESC))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "~[?1049h~[>1u", "~[>1u~[>3u~[?1049h~[>5u", "~[5 q~[>4;2m~[?1007h"})
    void shouldGiveTheTerminalBack(String before) {
        TerminalFilter filter = new TerminalFilter();
        StringBuilder passed = new StringBuilder();
        filter.filter(before.replace("~", ESC), passed);
        String restored = quoted(filter.restore());
        checkHarmless(restored.replace("~", ESC), before);
        assertEquals(before.contains("1049h"), restored.contains("~[?1049l"));
        assertEquals(before.contains(">5u"), restored.contains("~[<1u~[?1049l~[<2u"));
        assertEquals(before.contains("5 q"), restored.contains("~[0 q~[>4;0m~[?1007h"));
        assertTrue(restored.contains("1000;1002;1003;1004;"), restored);
        String again = quoted(filter.restore());
        assertTrue(!again.contains("1049l") && !again.contains("u"), again);
    }

    /** What is never ended hides what follows, as it does in a terminal, and takes no memory. */
    @Test
    void shouldHoldNothingOfAnEndlessString() {
        TerminalFilter filter = new TerminalFilter();
        StringBuilder passed = new StringBuilder();
        filter.filter(ESC + "]0;", passed);
        String much = "x".repeat(100_000);
        for (int i = 0; i < 100; i++) {
            filter.filter(much, passed);
        }
        filter.filter(ESC + "\\end", passed);
        assertEquals("end", passed.toString());
    }

    @Test
    void shouldRepairHalvesOfCharacters() {
        assertEquals("a\ufffdb\ud83d\ude00c\ufffdd", passed("a\ud83d", "b\ud83d", "\ude00c", "\ude00d"));
        assertEquals("a\ufffd" + ESC + "[1m", passed("a\ud83d" + ESC + "[1m"));
    }
}
