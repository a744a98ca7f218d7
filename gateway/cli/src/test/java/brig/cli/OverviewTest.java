package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.Overview.Wish;
import brig.cli.terminal.TypedKey;
import brig.protocol.SpawnState;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OverviewTest {
    private static final long NOW_MS = 1_767_225_600_000L;
    private static final String HOSTILE = "n\u001b]0;PWNED\u0007\u001b[2J\u009b2J\u202e\r\n\te";

    private final Overview overview = new Overview(false);

    private static SpawnView session(String taskId, SpawnActivity activity, long ageMs) {
        return new SpawnView(
                "spn_" + taskId,
                taskId,
                null,
                null,
                null,
                null,
                null,
                "local",
                null,
                "shell",
                SpawnState.RUNNING,
                activity,
                null,
                0,
                false,
                true,
                "/w",
                "uid:0",
                NOW_MS - ageMs,
                0,
                activity == SpawnActivity.ENDED ? NOW_MS : 0,
                null,
                "4h2k9x0c",
                1,
                9,
                2,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static AskList.View ask(String id, String taskId, Object detail) {
        return new AskList.View(
                "spn_" + taskId,
                taskId,
                null,
                "claude",
                null,
                new Frame.Ask(
                        id,
                        Frame.Ask.Kind.TOOL,
                        null,
                        null,
                        null,
                        "Bash",
                        detail,
                        List.of(new Frame.Ask.Option("allow", "Allow"), new Frame.Ask.Option("deny", "Deny")),
                        false,
                        NOW_MS + 90_000,
                        "deny"));
    }

    private String screen(int rows) {
        return overview.lines(rows, NOW_MS).stream().map(Object::toString).collect(Collectors.joining("\n"));
    }

    private Wish press(String typed) {
        return overview.press(TypedKey.read(typed).getFirst());
    }

    @Test
    void shouldShowWhoNeedsAPersonFirst() {
        overview.takeSessions(List.of(
                session("old", SpawnActivity.WORKING, 65_000),
                session("new", SpawnActivity.WORKING, 5_000),
                session("over", SpawnActivity.ENDED, 5_000),
                session("calm", SpawnActivity.IDLE, 5_000),
                session("asks", SpawnActivity.WAITING, 3_700_000)));
        assertEquals("""
                brig · 4 sessions

                Sessions
                > ● waiting     asks                    shell             1h1m
                  ○ idle        calm                    shell             5.0s
                  ● working     new                     shell             5.0s
                  ● working     old                     shell             1m5s


                ↑↓ choose · Enter attach · 1-9 answer · n start · d diff · q quit""", screen(10));
    }

    @Test
    void shouldShowWhatIsAskedAndAnswerWithANumber() {
        overview.takeSessions(List.of(session("fix", SpawnActivity.WAITING, 5_000)));
        overview.takeAsks(List.of(ask("ask_1", "fix", JsonObject.EMPTY.with("command", "rm -rf build"))));
        assertTrue(screen(24).contains("brig · 1 session · 1 waits for you"), screen(24));
        assertFalse(screen(24).contains("rm -rf"), screen(24));
        assertInstanceOf(Wish.Nothing.class, press("1"), "the session is chosen, and not what it asks");
        press("k");
        assertTrue(screen(24).contains("> ? fix (claude) asks: Bash  (in 90 s: deny)"), screen(24));
        assertTrue(screen(24).contains("| command: rm -rf build"), screen(24));
        assertTrue(screen(24).contains("2  Deny"), screen(24));
        assertEquals(new Wish.Answer("ask_1", "deny"), press("2"));
        assertInstanceOf(Wish.Nothing.class, press("3"));
        assertEquals("fix", ((Wish.Attach) press("\r")).session().taskId());
    }

    @Test
    void shouldNeverAnswerAnotherAskThanTheChosenOne() {
        // Scenario: the person is about to press 1 when the chosen ask is settled and the next one takes its place.
        overview.takeSessions(List.of(session("fix", SpawnActivity.WAITING, 5_000)));
        overview.takeAsks(List.of(ask("ask_1", "fix", null), ask("ask_2", "fix", null)));
        press("\u001b[H");
        overview.takeAsks(List.of(ask("ask_2", "fix", null)));
        assertInstanceOf(Wish.Nothing.class, press("1"));
        press("j");
        assertEquals(new Wish.Answer("ask_2", "allow"), press("1"));
    }

    @Test
    void shouldKeepTheChoiceWhileTheListsChange() {
        overview.takeSessions(
                List.of(session("one", SpawnActivity.WORKING, 5_000), session("two", SpawnActivity.WORKING, 9_000)));
        press("j");
        overview.takeSessions(List.of(
                session("two", SpawnActivity.WORKING, 9_000),
                session("one", SpawnActivity.WAITING, 5_000),
                session("three", SpawnActivity.FAILED, 1_000)));
        assertEquals("two", ((Wish.Attach) press("\r")).session().taskId());
        assertEquals("two", ((Wish.Diff) press("d")).session().taskId());
    }

    @Test
    void shouldKeepTheChosenRowInAShortWindow() {
        overview.takeSessions(java.util.stream.IntStream.range(0, 50)
                .mapToObj(i -> session("task" + i, SpawnActivity.WORKING, i * 1000))
                .toList());
        press("\u001b[F");
        assertEquals(12, screen(12).lines().count());
        assertTrue(screen(12).contains("> ● working     task49"), screen(12));
        press("\u001b[H");
        assertTrue(screen(12).contains("> ● working     task0 "), screen(12));
        assertEquals(4, screen(1).lines().count() - 1, "never without the chosen row");
    }

    @Test
    void shouldShowHostileNamesAsText() {
        Overview coloured = new Overview(true);
        SpawnView named = session(HOSTILE, SpawnActivity.WORKING, 1_000);
        coloured.takeSessions(List.of(named));
        coloured.takeAsks(List.of(ask(HOSTILE, HOSTILE, JsonObject.EMPTY.with("command", HOSTILE))));
        coloured.press(TypedKey.read("k").getFirst());
        coloured.say(HOSTILE);
        for (Object line : coloured.lines(30, NOW_MS)) {
            String left = line.toString().replaceAll("\u001b\\[(0|1|2|7|31|32|33)m", "");
            assertTrue(left.chars().noneMatch(c -> Character.isISOControl(c) || c == 0x202e), left);
        }
    }

    @Test
    void shouldSayWhatTheKeysAreForWhereNothingRuns() {
        assertTrue(screen(10).contains("none is running; n starts one"), screen(10));
        assertInstanceOf(Wish.Nothing.class, press("\r"));
        assertInstanceOf(Wish.Start.class, press("n"));
        assertInstanceOf(Wish.Quit.class, press("q"));
        assertInstanceOf(Wish.Quit.class, press("\u0003"));
    }
}
