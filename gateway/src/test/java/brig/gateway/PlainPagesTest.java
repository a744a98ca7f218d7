package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages can be read: their sentences and the cells of their tables are short. */
class PlainPagesTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    private static final int WORDS_MAX = 35;
    private static final int CELL_CHARACTERS_MAX = 260;
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_'’-]+");
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?])[\"')*]*\\s+(?=[\\p{Lu}\\p{N}(\"*\\[])");

    /** A sentence that is too long, or a cell that is. */
    private static List<String> faults(String page) {
        String text = page.replaceAll("(?s)```.*?```", "\n\n");
        List<String> faults = new ArrayList<>();
        for (String block : text.split("\n\\s*\n|\n(?=\\s*([-*]|\\d+\\.)\\s|\\||#)", -1)) {
            List<String> pieces = block.startsWith("|")
                    ? List.of(block.split("(?<!\\\\)\\|", -1))
                    : List.of(block.replaceFirst("^\\s*([-*]|\\d+\\.|#+)\\s+", ""));
            for (String piece : pieces) {
                if (block.startsWith("|") && piece.length() > CELL_CHARACTERS_MAX) {
                    faults.add(piece.length() + " characters in a cell: " + piece.strip());
                }
                sentences(piece)
                        .filter(sentence -> words(sentence) > WORDS_MAX)
                        .forEach(sentence -> faults.add(words(sentence) + " words: " + sentence.strip()));
            }
        }
        return faults;
    }

    /** With one word for a piece of code, and of a link only what is shown. */
    private static Stream<String> sentences(String text) {
        return SENTENCE_END.splitAsStream(text.replaceAll("`[^`]*`", "Code")
                .replaceAll("\\]\\([^)]*\\)", "]")
                .replaceAll("\\s+", " "));
    }

    private static long words(String sentence) {
        return WORD.matcher(sentence).results().count();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "protocol/PROTOCOL.md",
                "docs/operations.md",
                "docs/security.md",
                "docs/walls.md",
                "docs/glossary.md",
                "docs/commands.md",
                "docs/performance.md",
                "README.md",
                "docs/captains.md",
                "docs/kubernetes.md",
                "CONTRIBUTING.md",
                "CHANGELOG.md"
            })
    void shouldHaveShortSentencesAndCells(String page) throws IOException {
        String text = Files.readString(ROOT.resolve(page));
        assertTrue(words(text) > 100, "it was read");
        assertEquals("", String.join("\n", faults(text)));
    }

    @Test
    void shouldNameALongSentenceWhereverItStands() {
        String sentence = "A" + " word".repeat(WORDS_MAX) + ".";
        for (String page : List.of(
                sentence,
                "Short. " + sentence,
                "- " + sentence,
                "1. Short.\n   " + sentence,
                "| head |\n|---|\n| " + sentence + " |")) {
            assertTrue(faults(page).getFirst().startsWith(WORDS_MAX + 1 + " words"), page);
        }
        assertEquals(1, faults("| `" + "x".repeat(CELL_CHARACTERS_MAX) + "` |").size());
        assertEquals(List.of(), faults("```json\n" + sentence + "\n```\n\n`" + sentence + "` is code."));
    }
}
