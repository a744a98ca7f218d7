package brig.cli.setup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.Terminals;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuestionsTest {
    private static final List<String> AGENTS = List.of("claude", "codex", "opencode");

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private Questions questions(Questions.Mode mode, String answers) {
        return new Questions(
                Terminals.of(new ByteArrayOutputStream(), shown), new BufferedReader(new StringReader(answers)), mode);
    }

    private Questions person(String answers) {
        return questions(Questions.Mode.PERSON, answers.replace('/', '\n'));
    }

    @ParameterizedTest
    @CsvSource({
        "'/', true, true",
        "'/', false, false",
        "'n/', true, false",
        "'YES/', false, true",
        "'what?/y/', false, true",
        "'a/b/c/y/', true, false"
    })
    void shouldTakeYesNoAndTheDefault(String answers, boolean usual, boolean agreed) throws IOException {
        assertEquals(agreed, person(answers).agrees("go on?", usual));
    }

    @ParameterizedTest
    @CsvSource({
        "'/', 'claude'",
        "'all/', 'claude,codex,opencode'",
        "'none/', ''",
        "'opencode codex/', 'codex,opencode'",
        "'rm -rf/codex/', 'codex'"
    })
    void shouldTakeSomeOfAList(String answers, String chosen) throws IOException {
        assertEquals(chosen, String.join(",", person(answers).some("install which?", AGENTS, List.of("claude"))));
    }

    @ParameterizedTest
    @CsvSource({"'/', 0", "'2/', 1", "'4/0/-1/2/', 2", "'x/3/', 2"})
    void shouldTakeOneWay(String answers, int chosen) throws IOException {
        assertEquals(chosen, person(answers).one("which?", List.of("login", "key", "none for now"), 0));
    }

    @Test
    void shouldChangeNothingAfterTheEndOfTheInput() throws IOException {
        Questions questions = person("");
        assertFalse(questions.agrees("go on?", true));
        assertEquals(List.of(), questions.some("which?", AGENTS, AGENTS));
        assertEquals(2, questions.one("which?", AGENTS, 0));
        assertNull(questions.text("file?"));
        assertFalse(questions.reachPerson());
        assertEquals("brig: go on? [Y/n]\n", shown.toString(UTF_8), "it asks no more");
    }

    @Test
    void shouldAskNothingWhereNobodyIs() throws IOException {
        Questions defaults = questions(Questions.Mode.DEFAULTS, "n\nn\n");
        assertTrue(defaults.agrees("go on?", true));
        assertFalse(defaults.agrees("go on?", false));
        assertEquals(List.of("codex"), defaults.some("which?", AGENTS, List.of("codex")));
        assertEquals(1, defaults.one("which?", AGENTS, 1));
        Questions nobody = questions(Questions.Mode.NOBODY, "y\ny\n");
        assertFalse(nobody.agrees("go on?", true));
        assertEquals(List.of(), nobody.some("which?", AGENTS, AGENTS));
        assertEquals(2, nobody.one("which?", AGENTS, 0));
        assertNull(nobody.text("file?"));
        assertEquals("", shown.toString(UTF_8));
    }
}
