package brig.protocol.frame;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AskDetailTest {
    private static JsonObject read(String json) {
        return JsonObject.read(json.replace('\'', '"').getBytes(UTF_8));
    }

    @Test
    void shouldShowChangesOfFilesAsADiff() {
        JsonObject detail = read("""
                {'changes': [
                    {'path': 'a.py', 'kind': {'type': 'update', 'move_path': 'b.py'}, 'diff': '@@ -1,2 +1,2 @@\\n same\\n-old\\n+new\\n'},
                    {'path': 'c.py', 'kind': {'type': 'add'}, 'diff': 'one\\n\\n-two\\n'},
                    {'path': 'd.py', 'kind': {'type': 'delete'}, 'diff': '+gone\\n'}]}""");
        assertEquals("""
                a.py -> b.py
                @@ -1,2 +1,2 @@
                 same
                -old
                +new
                c.py (add)
                +one
                +
                +-two
                d.py (delete)
                -+gone""", String.join("\n", AskDetail.lines(detail)));
        assertEquals("a.py +1 -1, c.py +3 -0, d.py +0 -1", AskDetail.brief(detail));
    }

    @Test
    void shouldShowEverythingElseByItsFields() {
        JsonObject detail = read("{'command': 'a\\nb', 'words': ['x', 'y'], 'none': null}");
        assertEquals(List.of("command: a", "b", "words: x y", "none: "), AskDetail.lines(detail));
        assertEquals(List.of("a", "b"), AskDetail.lines("a\nb"));
        assertEquals(List.of(), AskDetail.lines(null));
    }

    /** Nothing of what is asked may be left out because it looks like a change of files. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'changes': 'rm x'}                                        | changes: rm x
            {'changes': [{'path': 'a', 'diff': '+b'}], 'command': 'x'} | changes: {path=a, diff=+b}, command: x
            {'changes': [{'path': 'a', 'diff': '+b'}, 'rm x']}         | changes: {path=a, diff=+b} rm x
            {'changes': [{'path': 'a', 'diff': 7}]}                    | changes: {path=a, diff=7}
            {'changes': []}                                            | `changes: `
            {'changes': [{'path': 'a', 'kind': 7, 'diff': '+b'}]}      | a +1 -0
            """)
    void shouldShowAllOfWhatHasAnotherForm(String json, String brief) {
        assertEquals(brief, AskDetail.brief(read(json)));
    }
}
