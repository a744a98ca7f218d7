package brig.gateway.fork;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import org.junit.jupiter.api.Test;

class PastTest {
    private final Past past = new Past();

    private void say(String text) {
        past.handle(new Frame.Chunk(null, null, Frame.Chunk.Channel.TEXT, text));
    }

    private void ask(String text) {
        past.handle(new Frame.Message("m", text, false, null, null));
    }

    private void call(String name, String title, Frame.Tool.Progress progress) {
        past.handle(new Frame.Tool("t", null, name, null, title, progress, null, null, false));
    }

    private String summary() {
        String summary = past.summary("fix", 120);
        assertNotNull(summary);
        return summary;
    }

    @Test
    void shouldTellWhoSaidAndDidWhatInItsOrder() {
        past.handle(new Frame.Message("m", "make it ", true, null, null));
        ask("fast");
        say("I will ");
        say("look");
        call("Read", "Read a.txt", Frame.Tool.Progress.RUNNING);
        past.handle(new Frame.Tool("t", null, null, null, null, Frame.Tool.Progress.COMPLETED, null, "text", false));
        past.handle(new Frame.Chunk("sub", null, Frame.Chunk.Channel.TEXT, "inside"));
        past.handle(new Frame.Chunk(null, null, Frame.Chunk.Channel.THOUGHT, "hmm"));
        say("done");
        past.handle(null);
        assertTrue(
                summary().contains("\n\nPerson: make it fast\nAgent: I will look\nTool: Read a.txt\nAgent: done\n\n"),
                this::summary);
        assertTrue(summary().contains("the session fix was at its frame 120"), this::summary);
    }

    private static final Frame DONE = new Frame.Done(0, null, null, null);

    @Test
    void shouldNameTheAgentsSessionOnlyWhereItsConversationEnds() {
        ask("look");
        past.handle(new Frame.Session("ses_1", "claude", "2", "m"));
        say("done");
        assertNull(past.session(), "the turn goes on");
        past.handle(DONE);
        assertEquals("ses_1", past.session());
        past.handleLater(new Frame.State(Frame.State.RUNNING, null));
        past.handleLater(new Frame.Chunk("sub", null, Frame.Chunk.Channel.TEXT, "inside"));
        past.handleLater(null);
        assertEquals("ses_1", past.session());
        past.handleLater(new Frame.Message("m", "more", false, null, null));
        assertNull(past.session(), "it went on");
    }

    @Test
    void shouldNameNoSessionWhereItMayHaveGoneOn() {
        past.handle(new Frame.Session("ses_1", "claude", "2", "m"));
        past.handleGap();
        assertNull(past.session(), "a message may be missing");
        past.handle(DONE);
        assertEquals("ses_1", past.session());
        past.handleLaterGap();
        assertNull(past.session());
        Past hostile = new Past();
        hostile.handle(new Frame.Session("--dangerous", "claude", "2", "m"));
        assertNull(hostile.session(), "it could be an option");
    }

    @Test
    void shouldSayNothingWhenNothingHappened() {
        say("  \n");
        assertNull(past.summary("fix", 0));
    }

    @Test
    void shouldKeepHowItBeganAndTheNewestAndFitIntoAFrame() {
        ask("the task \u0001" + "\u0001".repeat(100_000));
        for (int i = 0; i < 200; i++) {
            say("\u0001".repeat(50_000) + i);
            ask("again " + i + "\u0001".repeat(500));
        }
        String summary = summary();
        assertTrue(summary.contains("Person: the task"));
        assertTrue(summary.contains("(Something is left out here.)\n"));
        assertTrue(summary.contains("Person: again 199"));
        assertFalse(summary.contains("Person: again 3\u0001"));
        assertTrue(summary.length() <= 8_000, () -> summary.length() + " characters");
        assertTrue(Json.write(JsonObject.builder().put("summary", summary).build()).length
                < Limits.FRAME_BYTES_MAX - 1_024);
    }

    @Test
    void shouldLeaveOutWhatLooksLikeASecretAndTellOfAGap() {
        ask("use token=abcdefgh12345678");
        past.handleGap();
        call("Bash", "curl -H 'Authorization: Bearer abcdefgh12345678'", Frame.Tool.Progress.RUNNING);
        assertFalse(summary().contains("abcdefgh12345678"), this::summary);
        assertEquals(1, summary().split("left out here", -1).length - 1);
    }
}
