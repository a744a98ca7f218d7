package brig.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.Terminals;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AskPromptsTest {
    private static final long NOW_MS = 1_000;
    private static final long DEADLINE_MS = 601_000;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final BlockingQueue<SpawnerRequest.AnswerAsk> given = new LinkedBlockingQueue<>();
    private final AskPrompts prompts = new AskPrompts(
            Terminals.of(new ByteArrayOutputStream(), err),
            InstantSource.fixed(Instant.ofEpochMilli(NOW_MS)),
            given::add);

    private static Frame.Ask ask(String id, Object detail, boolean text, String... options) {
        return new Frame.Ask(
                id,
                Frame.Ask.Kind.TOOL,
                null,
                "8",
                null,
                "Bash: Remove it",
                detail,
                Stream.of(options)
                        .map(option -> new Frame.Ask.Option(option, "Do " + option))
                        .toList(),
                text,
                DEADLINE_MS,
                "deny");
    }

    private void show(Frame.Ask ask) {
        prompts.add(ask);
        prompts.showNew();
    }

    private static SpawnerRequest.AnswerAsk option(String id, String option) {
        return new SpawnerRequest.AnswerAsk(id, option, null, "cli");
    }

    @Test
    void shouldShowAnAskAndTakeTheNumberOfAnOption() {
        show(ask("ask_1", JsonObject.EMPTY.with("command", "rm -rf build\nls"), false, "allow", "deny"));
        assertEquals("""
                brig: the agent asks: Bash: Remove it
                  | command: rm -rf build
                  | ls
                  1  Do allow
                  2  Do deny
                brig: type a number to answer, or elsewhere: brig answer ask_1 allow|deny (in 600 s: deny)
                """, err.toString(UTF_8));
        assertTrue(prompts.take(" 2 "));
        assertEquals(List.of(option("ask_1", "deny")), List.copyOf(given));
    }

    @Test
    void shouldNeverTakeANumberForAnotherAsk() {
        // Scenario: the person types 1 for the first ask while it is settled and the next one comes.
        show(ask("ask_1", null, false, "allow", "deny"));
        prompts.settle("ask_1");
        show(ask("ask_2", null, false, "allow", "deny"));
        assertTrue(prompts.take("1"));
        assertTrue(given.isEmpty());
        assertTrue(err.toString(UTF_8).endsWith("brig: what 1 answers is settled; nothing was sent\n"));
        assertTrue(prompts.take("3"));
        assertEquals(option("ask_2", "allow"), given.poll());
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "0", "01", "-1", "1.", "1 please", "99999999999", "allow", "x 1", "\u0661"})
    void shouldLeaveEverythingElseToTheAgent(String line) {
        show(ask("ask_1", null, false, "allow", "deny"));
        assertFalse(prompts.take(line));
        assertTrue(given.isEmpty());
    }

    @Test
    void shouldTakeAnAnswerInOwnWords() {
        show(ask("ask_1", "Which file?", true, "decline"));
        assertTrue(prompts.take("2"));
        assertTrue(given.isEmpty());
        assertTrue(prompts.take("2 the  second one"));
        assertEquals(new SpawnerRequest.AnswerAsk("ask_1", null, "the  second one", "cli"), given.poll());
    }

    @Test
    void shouldShowOnlyWhatStillWaits() {
        prompts.add(ask("ask_1", null, false, "allow"));
        assertEquals("ask_1", prompts.settle("ask_1").askId());
        prompts.add(new Frame.Ask("ask_2", null, null, null, null, "old", null, List.of(), true, NOW_MS, "deny"));
        prompts.showNew();
        assertEquals("", err.toString(UTF_8));
        show(ask("ask_3", null, false, "allow"));
        assertNull(prompts.settle("ask_3"), "it was shown");
    }

    @Test
    void shouldShowHostileContentAsContent() {
        show(ask(
                "ask_1",
                JsonObject.EMPTY.with("command", "\u001b[2J\r\u202e\nbrig: the agent asks: nothing\n".repeat(100)),
                false,
                "allow\n2  Do deny"));
        String shown = err.toString(UTF_8);
        assertTrue(shown.contains("\n  | brig: the agent asks: nothing\n"), shown);
        assertTrue(shown.contains("  | \\u202e\n"), shown);
        assertTrue(shown.contains("\n  1  Do allow\\n2  Do deny\n"), shown);
        assertTrue(shown.contains("lines: brig asks --json\n"), shown);
        assertFalse(shown.contains("\u001b"), shown);
    }

    @Test
    void shouldSayThatALongLineIsShortened() {
        show(ask("ask_1", "x".repeat(5000), false, "allow"));
        assertTrue(err.toString(UTF_8).contains("x… (shortened: brig asks --json)\n"));
    }

    @Test
    void shouldSayWhyAnAnswerWasRefused() {
        AskPrompts refused =
                new AskPrompts(Terminals.of(new ByteArrayOutputStream(), err), InstantSource.system(), answer -> {
                    throw new BrigException(ErrorCode.ASK_SETTLED, "answered by ci");
                });
        refused.add(new Frame.Ask(
                "ask_1",
                null,
                "a60f",
                null,
                null,
                "Bash",
                null,
                List.of(new Frame.Ask.Option("allow", "Allow")),
                false,
                Long.MAX_VALUE / 2048,
                "deny"));
        refused.showNew();
        assertTrue(refused.take("1"));
        assertTrue(err.toString(UTF_8).startsWith("brig: sub-agent a60f asks: Bash\n"));
        assertTrue(err.toString(UTF_8).endsWith("brig: answered by ci (ASK_SETTLED)\n"));
    }

    @Test
    @Timeout(20)
    void shouldDropWhatWasTypedBeforeTheAsk() throws IOException, InterruptedException {
        // Scenario: "1" is typed before anything is asked, as an agent may talk a person into it.
        try (PipedInputStream typed = new PipedInputStream();
                PipedOutputStream keys = new PipedOutputStream(typed)) {
            keys.write("1\n".getBytes(UTF_8));
            Thread reader = Thread.ofVirtual().start(() -> {
                try {
                    prompts.readAnswers(typed, () -> true);
                } catch (IOException | InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
            });
            show(ask("ask_1", null, false, "allow", "deny"));
            while (typed.available() > 0) {
                Thread.onSpinWait();
            }
            keys.write("2\n".getBytes(UTF_8));
            keys.flush();
            assertEquals(option("ask_1", "deny"), given.poll(10, TimeUnit.SECONDS));
            reader.interrupt();
            reader.join();
        }
    }
}
