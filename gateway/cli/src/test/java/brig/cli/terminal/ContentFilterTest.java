package brig.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ContentFilterTest {
    private static final String ESC = HostileText.ESC;

    /** What a terminal gets of pieces, and of the end of them. */
    private static String shown(String... pieces) {
        ContentFilter filter = new ContentFilter();
        StringBuilder shown = new StringBuilder();
        for (String piece : pieces) {
            filter.filter(piece, shown);
            assertTrue(HostileText.HARMLESS.matcher(shown).matches(), () -> quoted(shown));
        }
        filter.finish(shown);
        return shown.toString();
    }

    private static String quoted(CharSequence text) {
        return text.toString().replace(ESC, "ESC");
    }

    private static List<String> forms() {
        return HostileText.forms();
    }

    @Test
    void shouldLetNothingThroughOfAnyForm() {
        assertTrue(forms().size() > 2000, "the forms were made");
        for (String form : forms()) {
            String whole = shown("a" + form + "b");
            assertTrue(HostileText.HARMLESS.matcher(whole).matches(), () -> quoted(form) + " gave " + quoted(whole));
        }
    }

    /** Whatever reads and frames do to it: the same text comes out, and never a half of a sequence. */
    @ParameterizedTest
    @MethodSource("forms")
    void shouldShowTheSameWhereverItIsSplit(String form) {
        String text = "a" + form + "b\r\nc" + form;
        String whole = shown(text);
        for (int i = 1; i < text.length(); i++) {
            assertEquals(whole, shown(text.substring(0, i), text.substring(i)), "split at " + i);
        }
        assertEquals(whole, shown(text.split("")));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "a~[31mb,           a~[31mb~[0m", "a~[31mb~[mc,        a~[31mb~[mc",
                        "a~[38;2;1;2;3mb,    a~[38;2;1;2;3mb~[0m",
                "a~[4:3mb,          a~[4:3mb~[0m", "a~[0mb,             a~[0mb", "a~[?4mb,            ab",
                "a~[>4;2mb,         ab", "a~[1 mb,            ab", "a~[2Jb,             ab",
                "a~]0;title~\\b,    ab", "a~]8;;file:///x~\\b~]8;;~\\c, abc", "a~P$q~\\b,          ab",
                "a~_x~\\b,          ab", "a~^x~\\b,           ab", "a~Xx~\\b,           ab",
                "a~(Bb,             ab", "a~cb,               ab", "a~~[2Jb,            ab",
                "a~[~[31mb,         a~[31mb~[0m", "a~]x~[31mb,         a~[31mb~[0m", "a~]x~~\\b,          ab",
                "a~[3é1mb,          aé1mb", "a~éb,               aéb", "a~,                 a",
                "a~[,               a", "a~[31,              a", "a~]x,               a"
            })
    void shouldKeepColoursAndNothingElse(String written, String expected) {
        assertEquals(quoted(expected.replace("~", ESC)), quoted(shown(written.replace("~", ESC))));
    }

    @Test
    void shouldKeepTextAsItIs() {
        String text = "naïve\t漢字 🙂\n\n\u200d\u00a0~ \\ { é";
        assertEquals(text, shown(text));
        assertEquals(text, shown(text.split("")));
    }

    /** Nothing that a person has read, or is about to read, is replaced by something else. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "a<b, `a\nb`",
                "a<|b, `a\nb`",
                "a<<<|b, `a\nb`",
                "<a, a",
                "|<a, `\na`",
                "a<, a",
                "a<<b<c, `a\nb\nc`",
                "a<~[Kb, `a\nb`",
                "a<~[31mb, `a~[31m\nb~[0m`",
                "a<>b, `a\n>b`"
            })
    void shouldEndTheLineWhereOneWouldGoBack(String written, String expected) {
        assertEquals(
                quoted(expected.replace("~", ESC)),
                quoted(shown(written.replace("<", "\r").replace("|", "\n").replace("~", ESC))));
    }

    @Test
    void shouldShowWhatTurnsLettersRound() {
        assertEquals("a\\u202eb\\u2066c", shown("a\u202eb\u2066c"));
    }

    /** What is never ended hides a little, and not all that follows. */
    @Test
    void shouldShowWhatFollowsASequenceThatNeverEnds() {
        HostileText.STRINGS.forEach(begin ->
                assertTrue(shown(begin + "x".repeat(5000) + "end").endsWith("xend"), () -> quoted(begin)));
        assertTrue(shown(ESC + "[" + "1".repeat(300) + "end").endsWith("1end"));
        assertTrue(shown(ESC + " ".repeat(300) + "end").endsWith(" end"));
    }

    @Test
    void shouldRefuseAColourWithMoreParametersThanOneNeeds() {
        assertEquals("ab", shown("a" + ESC + "[" + "1;".repeat(40) + "mb"));
    }

    @Test
    void shouldBeginAnewForWhoComesNext() {
        ContentFilter filter = new ContentFilter();
        StringBuilder shown = new StringBuilder();
        filter.filter("a" + ESC + "[31mb" + ESC + "]0;", shown);
        filter.finish(shown);
        filter.filter("hello", shown);
        assertEquals("a" + ESC + "[31mb" + ESC + "[0mhello", shown.toString());
    }

    @Test
    void shouldHaveNoColoursAtTheEnd() {
        ContentFilter filter = new ContentFilter();
        StringBuilder shown = new StringBuilder();
        filter.becomeColourless();
        filter.filter("a" + ESC + "[31mb", shown);
        filter.finish(shown);
        assertEquals("ab", shown.toString());
    }

    @Test
    void shouldLetNothingThroughWhateverComes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String likely = ESC + ESC + ESC
                + "[[]PX^_\\0123;:?>m\u0007\u0018\u001a\r\n\t \u009b\u009d\u0090\u009c\u0085\u202eéJ\ud83d\ude00";
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(40); i >= 0; i--) {
                text.append(
                        random.nextInt(8) == 0
                                ? (char) random.nextInt(0x300)
                                : likely.charAt(random.nextInt(likely.length())));
            }
            int at = random.nextInt(text.length());
            String whole = shown(text.toString());
            assertEquals(whole, shown(text.substring(0, at), text.substring(at)), () -> "seed " + seed);
            assertTrue(HostileText.HARMLESS.matcher(whole).matches(), () -> "seed " + seed);
            int last = whole.lastIndexOf(ESC);
            assertTrue(
                    last < 0 || !whole.substring(last).matches("(?s)" + ESC + "\\[[0-9;:]*[1-9][0-9;:]*m.*"),
                    () -> "seed " + seed);
        }
    }
}
