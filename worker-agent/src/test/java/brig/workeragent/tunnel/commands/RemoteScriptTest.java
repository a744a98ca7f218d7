package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemoteScriptTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {"a b,'a b'", "``,''", "it's,'it'\\''s'", "$x`y,'$x`y'", "\\n,'\\n'", "-e,'-e'"})
    void shouldQuoteAWord(String word, String quoted) {
        assertEquals(quoted, RemoteScript.word(word));
    }

    /** A substitution loses newlines at its end, and printf reads backslashes and percent signs. */
    @Test
    void shouldWriteBytesBeyondAsciiWithPrintf() {
        assertEquals(
                "'a\n'\"$(printf %b '\\0303\\0244\\0012\\0134n\\0045\\0001')\"'\n'",
                RemoteScript.word("a\n\u00c3\u00a4\n\\n%\u0001\n"));
    }

    @Test
    void shouldSendAsciiAlone() {
        StringBuilder all = new StringBuilder();
        for (char c = 1; c < 256; c++) all.append(c);
        assertTrue(RemoteScript.word(all.toString()).chars().allMatch(c -> c < 127));
        assertTrue(RemoteScript.encoded(all.toString()).chars().allMatch(c -> c > ' ' && c < 127));
    }

    @Test
    void shouldEncodeAWordWithoutSpacesAndPatterns() {
        assertEquals("/a\\0040b\\0052", RemoteScript.encoded("/a b*"));
    }
}
