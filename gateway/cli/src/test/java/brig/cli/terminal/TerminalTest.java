package brig.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
    private static final String HOSTILE = "x\u001b]0;t\u0007\u001b[31m\n\t\r\u009b2J\u202ey";
    private static final String VISIBLE = "x\\u001b]0;t\\u0007\\u001b[31m\\n\\t\\r\\u009b2J\\u202ey";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Terminal seen = terminal(true, true);
    private final Terminal piped = terminal(false, false);

    private Terminal terminal(boolean outIsOne, boolean errIsOne) {
        return new Terminal(new Screen(out, outIsOne, false), new Screen(err, errIsOne, false));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldMakeNamesVisibleInFilesToo() {
        for (Terminal terminal : List.of(seen, piped)) {
            terminal.println(HOSTILE);
            terminal.table(List.of("A", "B"), List.of(List.of(HOSTILE, HOSTILE)));
            terminal.picture(false).draw(List.of(StyledLine.of(HOSTILE)));
            terminal.note(HOSTILE);
            terminal.refuse(new BrigException(ErrorCode.INTERNAL, HOSTILE), false);
            assertEquals(
                    VISIBLE + "\nA" + " ".repeat(VISIBLE.length() + 1) + "B\n" + VISIBLE + "  " + VISIBLE + "\n"
                            + VISIBLE + "\n",
                    out());
            assertEquals("brig: " + VISIBLE + "\nbrig: " + VISIBLE + " (INTERNAL)\n", err());
            out.reset();
            err.reset();
        }
    }

    @Test
    void shouldJudgeEachStreamByItself() {
        for (boolean outIsOne : List.of(true, false)) {
            Terminal terminal = terminal(outIsOne, !outIsOne);
            terminal.content("a", HOSTILE);
            terminal.contentAside("a", HOSTILE);
            assertEquals(outIsOne, HostileText.HARMLESS.matcher(out()).matches(), out());
            assertEquals(!outIsOne, HostileText.HARMLESS.matcher(err()).matches(), err());
            assertEquals(HOSTILE, outIsOne ? err() : out());
            out.reset();
            err.reset();
        }
    }

    @Test
    void shouldPassEveryByteOnWhereNobodyLooks() throws IOException {
        byte[] bytes = new byte[512];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        piped.passing("a", false).write(bytes);
        assertArrayEquals(bytes, out.toByteArray());
        out.reset();
        piped.verbatim(HOSTILE);
        assertEquals(HOSTILE, out());
    }

    @Test
    void shouldPassEveryByteOnWhereItIsAskedFor() throws IOException {
        seen.becomeRaw();
        seen.content("a", HOSTILE);
        seen.verbatim(HOSTILE);
        seen.passing("a", false).write(new byte[] {(byte) 0x9b, 'J'});
        assertTrue(out().startsWith(HOSTILE + HOSTILE));
        assertEquals((byte) 0x9b, out.toByteArray()[out.size() - 2]);
        out.reset();
        seen.println(HOSTILE);
        assertEquals(VISIBLE + "\n", out(), "names are no content");
    }

    /** A reader of a patch sees what it would write, and no colours that a file has. */
    @Test
    void shouldShowEveryCharacterOfAPatch() {
        seen.verbatim("+a\tb\u001b[31m\u202e\r\n");
        assertEquals("+a\tb\\u001b[31m\\u202e\\r\n", out());
    }

    @Test
    void shouldShowJsonThatMeansTheSame() {
        String json = "{\"a\":\"\u009bJ\u202e\"}";
        seen.json(json.getBytes(StandardCharsets.UTF_8));
        assertTrue(HostileText.HARMLESS.matcher(out()).matches(), out());
        assertEquals(
                Map.of("a", "\u009bJ\u202e"), Json.parseObject(out().strip().getBytes(StandardCharsets.UTF_8)));
        out.reset();
        piped.json(json.getBytes(StandardCharsets.UTF_8));
        assertEquals(json + "\n", out());
    }

    @Test
    void shouldEndColoursWhereSomebodyElseSpeaks() {
        seen.content("a", "\u001b[31mred");
        seen.content("b", "plain");
        seen.content("b", "\u001b[8mhidden");
        seen.note("told");
        seen.contentAside("b", "\u001b[8mhidden");
        seen.println("told");
        assertEquals("\u001b[31mred\u001b[0mplain\u001b[8mhidden\u001b[0mtold\n", out());
        assertEquals("brig: told\n\u001b[8mhidden\u001b[0m", err());
    }

    @Test
    void shouldNotLetOneSwallowWhatAnotherSays() {
        seen.content("a", "\u001b]0;");
        seen.content("b", "heard");
        assertEquals("heard", out());
    }

    @Test
    void shouldReadCharactersThatAreCutAnywhere() throws IOException {
        byte[] bytes = "é漢🙂\u009b31m!".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i <= bytes.length; i++) {
            out.reset();
            OutputStream way = seen.passing("cut at " + i, false);
            way.write(bytes, 0, i);
            way.write(bytes, i, bytes.length - i);
            assertEquals("é漢🙂\u001b[31m!", out(), "cut at " + i);
            seen.println("");
        }
    }

    /** In eight bits, as no UTF-8 has them, and whatever bytes come: what is no character is no command. */
    @Test
    void shouldLetNoByteThroughThatIsNoCharacter() throws IOException {
        byte[] all = new byte[256 * 3];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i % 3 == 1 ? i / 3 : 'a');
        }
        OutputStream way = seen.passing("a", false);
        for (byte one : all) {
            way.write(one);
        }
        way.write(new byte[] {(byte) 0x9d, '0', ';', 't', 7, (byte) 0x9b, '2', 'J'});
        assertTrue(HostileText.HARMLESS.matcher(out()).matches(), out());
        assertTrue(out().endsWith("\uFFFD2J"), out());
    }

    @Test
    void shouldSayWhenNobodyReads() throws IOException {
        Terminal terminal = new Terminal(
                new Screen(
                        new OutputStream() {
                            @Override
                            public void write(int b) throws IOException {
                                throw new IOException("gone");
                            }
                        },
                        false,
                        false),
                new Screen(err, false, false));
        assertTrue(terminal.isRead());
        terminal.passing("a", false).write('x');
        assertFalse(terminal.isRead());
    }

    @Test
    void shouldDrawItsOwnPictureInItsPlace() {
        RedrawnLines picture = seen.picture(true);
        picture.draw(List.of(StyledLine.of("one"), StyledLine.of(HOSTILE)));
        picture.draw(List.of(StyledLine.of("two")));
        assertEquals("\u001b[?7lone\n" + VISIBLE + "\n\u001b[?7h\u001b[2A\u001b[J\u001b[?7ltwo\n\u001b[?7h", out());
    }

    @Test
    void shouldColourItsOwnWordsForPeople() {
        Terminal coloured = new Terminal(new Screen(out, true, true), new Screen(err, false, false));
        coloured.table(List.of("S"), List.of(List.of("OK"), List.of("\u001b[31mOK")));
        coloured.note("x");
        assertEquals("\u001b[2mS\u001b[0m\n\u001b[32mOK\u001b[0m\n\\u001b[31mOK\n", out());
        assertEquals("brig: x\n", err(), "a file has no colours");
    }

    @Test
    void shouldTakeNoFileForATerminal() {
        assertFalse(Arrays.stream(new int[] {999_999}).anyMatch(Terminal::isTerminal));
    }
}
