package brig.formats.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalModelTest {
    private static final String ESC = "\u001b";

    private final List<String> answers = new ArrayList<>();

    private TerminalModel terminal(int columns, int rows, String output) {
        TerminalModel terminal = new TerminalModel(columns, rows, answers::add);
        terminal.write(output.replace("~", ESC).replace("|", "\r\n"));
        return terminal;
    }

    /** In a terminal of 5 by 3: rows are divided by /, and empty cells before others are dots. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "abcdefg,                    abcde/fg/",
                "abcde|f,                    abcde/f/",
                "abcde~[Kf,                  abcde/f/",
                "abcde~[Df,                  abcfe//",
                "abcd漢e,                    abcd/漢e/",
                "漢字~[1;2Hx,                .x字//",
                "漢字~[1;3H~[Px,             漢x//",
                "漢字~[1;2H~[K,              //",
                "~[?7labcdefg,               abcdg//",
                "a|b|c|d,                    b/c/d",
                "a|b|c~[2;3r~[3;1H|d,        a/c/d",
                "a|b|c~[1;2r~[2;1H|d,        b/d/c",
                "a|b|c~[H~M,                 /a/b",
                "a|b|c~[2H~[L,               a//b",
                "a|b|c~[1H~[M,               b/c/",
                "a|b|c~[S,                   b/c/",
                "a|b|c~[T,                   /a/b",
                "abcde~[1;2H~[2@,            a..bc//",
                "abcde~[1;2H~[2P,            ade//",
                "abcde~[1;2H~[2X,            a..de//",
                "abc~[1;1H~[4hx,             xabc//",
                "ab~[3b,                     abbbb//",
                "漢~[b,                      漢漢//",
                "a~[m~[3b,                   a//",
                "~(0lqk~(B|lq,               ┌─┐/lq/",
                "~)0a\u000eq\u000fq,         a─q//",
                "~[2;3r~[?6h~[1;1Hx,         /x/",
                "a~7|b~8c,                   ac/b/",
                "a|b~[?1049hx,               /.x/",
                "a|b~[?1049hx~[?1049lc,      a/bc/",
                "a~[?47hb~[?47lc,            a.c//",
                "e\u0301x,                   e\u0301x//",
                "~[5n~[3z~]0;x\u0007~Pq~\\a, a//",
                "ab~[2Dx\u0008y,             yb//",
                "abc\r\u009b2Cx,             abx//"
            })
    void shouldDoAsTerminalsDo(String output, String expected) {
        String screen = terminal(5, 3, output).screen();
        assertEquals(expected, screen.replace('\n', '/').replace('␀', '.'));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "~[1;3;4;9;38;5;200mx,     ⟦0;3;4;9;1;38;5;200⟧x",
                "~[1mx~[22;2my,            ⟦0;1⟧x⟦0;2⟧y",
                "~[38:2::1:2:3mx,          ⟦0;38;2;1;2;3⟧x",
                "~[38:2:1:2:3mx,           ⟦0;38;2;1;2;3⟧x",
                "~[48;2;300;2;3mx,         ⟦0;48;2;44;2;3⟧x",
                "~[38;5mx,                 ⟦0;38;5;0⟧x",
                "~[4:3;58:5:7mx,           ⟦0;4:3;58;5;7⟧x",
                "~[31;91mx~[39my,          ⟦0;91⟧x⟦0⟧y",
                "~[44m~[Kx,                ⟦0;44⟧x␀␀",
                "~[7mx~[27;5my~[25;8mz,    ⟦0;7⟧x⟦0;5⟧y⟦0;8⟧z",
                "~[53;21mx~[0my,           ⟦0;4:2;53⟧x⟦0⟧y"
            })
    void shouldKeepColoursAndAttributes(String output, String expected) {
        String first = terminal(3, 1, output).screen();
        assertEquals(expected.replace("⟦0;3;4;9;1;", "⟦0;1;3;4;9;"), first);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "ab~[6n,              ~[1;3R",
                "abcde~[6n,           ~[1;5R",
                "~[2;3r~[?6h~[?6n,    ~[?1;1R",
                "~[5n,                ~[0n",
                "~[c,                 ~[?62;22c",
                "~[>c,                ~[>41;277;0c",
                "~[>q,                ~P>|brig~\\",
                "~[18t,               ~[8;3;5t",
                "~[>5u~[?u,           ~[?5u",
                "~[>1u~[?1049h~[?u,   ~[?0u",
                "~[?2026h~[?2026$p,   ~[?2026;1$y",
                "~[?7$p,              ~[?7;1$y",
                "~[?2027$p,           ~[?2027;0$y",
                "~[4$p,               ~[4;2$y",
                "~[?1006h~[?1006$p,   ~[?1006;1$y",
                "~]11;?~\\,           ~]11;rgb:0000/0000/0000~\\",
                "~]10;?;?~\\,         ~]10;rgb:e5e5/e5e5/e5e5~\\~]11;rgb:0000/0000/0000~\\",
                "~]4;1;?;231;?~\\, ~]4;1;rgb:cdcd/0000/0000~\\~]4;231;rgb:ffff/ffff/ffff~\\",
                "~P$qm~\\,            ~P0$r~\\",
                "~P+q544e~\\,         ~P0+r~\\",
                "~[21t~[x~Z~[1c,      ``"
            })
    void shouldAnswerQuestions(String output, String expected) {
        terminal(5, 3, output);
        assertEquals(expected, String.join("", answers).replace(ESC, "~"));
    }

    /** An answer is typed to the agent: what the agent wrote must not come back as keys. */
    @Test
    void shouldNeverAnswerWithWhatTheAgentWrote() {
        TerminalModel terminal = terminal(5, 3, "~]0;evil~\\~]4;evil;?~\\~[21t~[20t~P$qevil~\\~P+q6576696c~\\");
        assertEquals("evil", terminal.title());
        assertFalse(String.join("", answers).contains("evil"));
    }

    @Test
    void shouldCutAndExtendRowsWhenTheSizeChanges() {
        TerminalModel terminal = terminal(5, 3, "abcde|漢字x|c|d");
        terminal.resize(3, 2);
        assertEquals("c\nd", terminal.screen());
        terminal.resize(5, 4);
        assertEquals("abc\n漢\nc\nd", terminal.screen());
        terminal.write("e");
        assertEquals("abc\n漢\nc\nde", terminal.screen());
    }

    @Test
    void shouldDrawWhatWasScrolledOffAndWhatWrapped() {
        String drawn = terminal(5, 2, "1|2|abcdefg").draw();
        assertEquals("1\r\n2\r\nabcdefg" + ESC + "[2;2Hg", drawn);
    }

    @Test
    void shouldSayWhetherASequenceIsIncomplete() {
        TerminalModel terminal = terminal(5, 2, "a");
        for (String begun : List.of(ESC, "[", "3", "1", "m", "\ud83d", "\ude00", ESC, "]", "0;", "\u0007")) {
            terminal.write(begun);
            assertEquals(List.of("m", "\ude00", "\u0007").contains(begun), terminal.isGround(), begun);
        }
    }

    /** Whatever comes: what is kept stays small, and so does what is drawn. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "1, 40", "80, 24", "1000, 500", "99999, 99999"})
    void shouldStayBoundedWithHostileOutput(int columns, int rows) {
        TerminalModel terminal = new TerminalModel(columns, rows, answer -> answers.add(answer));
        for (char last = '@'; last < 0x7f; last++) {
            for (String prefix :
                    List.of("", "?", ">", "<", "=", "99999999999;", "4294967295;4294967295;", ";".repeat(9999))) {
                terminal.write("漢" + ESC + "[" + prefix + "2147483647" + last);
            }
        }
        terminal.write(ESC + "c");
        terminal.write("e" + "\u0301".repeat(1_000_000));
        assertTrue(terminal.state().length() < 100_000 + rows * 10, "marks are bounded");
        for (String begin : List.of("]0;", "P", "_", "[", "]", "[1;")) {
            terminal.write(ESC + begin + "9".repeat(1_000_000));
        }
        terminal.write("\u0018");
        answers.clear();
        terminal.write((ESC + "]4" + ";1;?".repeat(1_000) + "\u0007").repeat(10));
        assertTrue(answers.size() <= 10 * 256);
        for (int i = 0; i < 20_000; i++) {
            terminal.write(Character.toString(0x4e00 + i) + Character.toString(0x300 + i % 0x60) + "\u0302\r\n");
        }
        TerminalModel drawn = new TerminalModel(columns, rows, answer -> {});
        drawn.write(terminal.draw());
        assertEquals(terminal.state(), drawn.state());
    }

    /** Colours that differ in each cell take the most room: then old rows are left out, and what is shown is not. */
    @Test
    void shouldLeaveOutOldRowsOfAHugeScrollback() {
        TerminalModel terminal = new TerminalModel(200, 10, answer -> {});
        for (int row = 0; row < 1_100; row++) {
            StringBuilder line = new StringBuilder("\r\n");
            for (int i = 0; i < 200; i++) {
                line.append(ESC + "[38;2;%d;%d;200;48;2;100;%d;%dmx".formatted(row % 256, i, i, row % 256));
            }
            terminal.write(line);
        }
        String drawn = terminal.draw();
        assertTrue(drawn.length() < 1_300_000 + 10 * 200 * 40, "length " + drawn.length());
        TerminalModel again = new TerminalModel(200, 10, answer -> {});
        again.write(drawn);
        assertEquals(terminal.screen(), again.screen());
    }

    @Test
    void shouldKeepATitleWithoutControls() {
        assertEquals("a b", terminal(9, 1, "~]2;a\u202e b\u0007").title());
        assertEquals(
                256, terminal(9, 1, "~]2;" + "x".repeat(999) + "\u0007").title().length());
        assertEquals("", terminal(9, 1, "~]2;" + "x".repeat(5_000) + "\u0007").title());
    }
}
