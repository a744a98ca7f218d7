package brig.gateway.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.Ids;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The links and the page behind them. */
class AnswerLinksTest {
    private static final long WAIT_MS = 600_000;

    private final SpawnBench bench = new SpawnBench();
    private final Spawn spawn = bench.spawn(bench.start("fix"));
    private final FakeTime time = new FakeTime();
    private final AnswerLinks links = new AnswerLinks(time);

    static Frame.Ask ask(long nowMs) {
        return ask(nowMs, "Bash", JsonObject.of(Map.of("command", "rm -rf <build>")), false);
    }

    private static Frame.Ask ask(long nowMs, String title, Object detail, boolean text) {
        return new Frame.Ask(
                Ids.newAskId(nowMs),
                Frame.Ask.Kind.TOOL,
                null,
                null,
                null,
                title,
                detail,
                List.of(new Frame.Ask.Option("allow", "Allow"), new Frame.Ask.Option("deny", "Deny", "\"No\" & stop")),
                text,
                nowMs + WAIT_MS,
                "deny");
    }

    private static Frame.Answered end(Frame.Ask ask, String option, Frame.Answered.Reason reason) {
        return new Frame.Answered(ask.askId(), option, null, "ann", "http", reason);
    }

    private String page(Frame.Ask ask) {
        return AnswerPage.of(links.find(links.issue(spawn, ask)));
    }

    @Test
    void shouldOpenItsOwnAskByItsTokenAlone() {
        Frame.Ask ask = ask(time.nowMs());
        String token = links.issue(spawn, ask);
        String other = links.issue(spawn, ask(time.nowMs()));
        assertNotEquals(token, other);
        assertEquals(ask, links.find(token).ask());
        assertEquals(spawn.workerId(), links.find(token).workerId());
        for (String wrong : List.of("", "brig_", token + "A", token.substring(1), Ids.hashToken(token), ask.askId())) {
            assertNull(links.find(wrong), wrong);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PERSON, allow, Answered by ann over http: Allow",
        "PERSON,, Answered by ann over http: with a text",
        "POLICY, deny, A rule answered: Deny",
        "DEADLINE, deny, Nobody answered in time: Deny",
        "WITHDRAWN,, The agent no longer asks.",
        "ENDED,, 'The agent ended, or its turn was cancelled.'"
    })
    void shouldSayHowItsAskWasSettled(Frame.Answered.Reason reason, String option, String sentence) {
        Frame.Ask ask = ask(time.nowMs());
        String token = links.issue(spawn, ask);
        assertNull(links.find(token).end());
        links.handleSettled(end(ask, option, reason));
        assertEquals(sentence, links.find(token).end());
        String page = AnswerPage.of(links.find(token));
        assertTrue(page.contains(sentence), page);
        assertFalse(page.contains("<form"), page);
    }

    @Test
    void shouldEndAtTheDeadlineAndBeForgottenLater() {
        String token = links.issue(spawn, ask(time.nowMs()));
        time.pass(WAIT_MS - 1);
        assertNull(links.find(token).end());
        time.pass(1);
        assertNotNull(links.find(token).end());
        time.pass(AnswerLinks.AFTERWARDS_MS);
        assertNull(links.find(token));
    }

    @Test
    void shouldForgetTheOldestOfTooMany() {
        String oldest = links.issue(spawn, ask(time.nowMs()));
        String second = links.issue(spawn, ask(time.nowMs()));
        for (int i = 2; i <= AnswerLinks.LINKS_MAX; i++) {
            links.issue(spawn, ask(time.nowMs()));
        }
        assertNull(links.find(oldest));
        assertNotNull(links.find(second));
    }

    @Test
    void shouldShowTheAskAndAButtonForEachOption() {
        String page = page(ask(time.nowMs()));
        assertTrue(page.contains("<h1>Bash</h1>"), page);
        assertTrue(page.contains("<pre>rm -rf &lt;build&gt;</pre>"), page);
        assertTrue(page.contains("<form method=\"post\"><button name=\"option\" value=\"allow\">Allow</button>"), page);
        assertTrue(page.contains("<small>&quot;No&quot; &amp; stop</small>"), page);
        assertTrue(page.contains("Without an answer until 2026-01-01T00:10:00Z: Deny"), page);
        assertFalse(page.contains("<textarea"), page);
        assertFalse(page.contains("<script"), page);
    }

    @Test
    void shouldTakeATextWhereTheAskDoes() {
        assertTrue(page(ask(time.nowMs(), "Which?", "a\nb", true)).contains("<textarea name=\"text\""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "</pre><script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "'><form action=//evil.example>",
                "<!--",
                "\u202Egnp.exe",
                "\u001b[2J\u0007",
                "a\u0000b\u0085c\u2028d\u200be\uFEFF"
            })
    void shouldEscapeWhatAnAgentWrites(String hostile) {
        for (Object detail : List.of(hostile, JsonObject.of(Map.of(hostile, hostile)), List.of(hostile))) {
            String page = page(ask(time.nowMs(), hostile, detail, true));
            String plain = page(ask(
                    time.nowMs(),
                    "",
                    detail instanceof JsonObject
                            ? JsonObject.of(Map.of("", ""))
                            : detail instanceof List ? List.of("") : "",
                    true));
            assertEquals(
                    plain.chars().filter(c -> c == '<').count(),
                    page.chars().filter(c -> c == '<').count(),
                    page);
            assertFalse(
                    page.codePoints()
                            .anyMatch(c -> c < ' '
                                    || (c >= 0x7f && c < 0xa0)
                                    || c == 0x202e
                                    || c == 0x2028
                                    || c == 0x200b
                                    || c == 0xfeff),
                    page);
        }
    }

    @Test
    void shouldShowLineBreaksOnlyWhereLinesAre() {
        assertEquals("a[U+000A]b[U+202E]", AnswerPage.line("a\nb\u202E"));
        assertEquals("a\n\tb[U+000D]", AnswerPage.block("a\n\tb\r"));
    }

    @Test
    void shouldAllowNoScriptAndNoOtherSite() {
        assertTrue(AnswerPage.POLICY.startsWith("default-src 'none'; style-src 'sha256-"), AnswerPage.POLICY);
        assertFalse(AnswerPage.POLICY.contains("unsafe"), AnswerPage.POLICY);
    }
}
