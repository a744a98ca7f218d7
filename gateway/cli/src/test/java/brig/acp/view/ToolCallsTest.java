package brig.acp.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.acp.message.CallFields;
import brig.acp.message.ContentBlock;
import brig.acp.message.SessionUpdate;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ToolCallsTest {
    private final List<SessionUpdate> updates = new ArrayList<>();
    private final SessionUpdates shown =
            new SessionUpdates(new PathMapping(Path.of("/a"), Path.of("/a")), updates::add);

    private void write(String text) {
        shown.handle(new Frame.Chunk(null, "c1", Channel.STDOUT, text));
    }

    private static String textOf(SessionUpdate update) {
        CallFields call = ((SessionUpdate.ToolCall) update).call();
        CallFields.Written written = (CallFields.Written) call.content().getFirst();
        return ((ContentBlock.Text) written.content()).text();
    }

    @Test
    void shouldKeepOnlyTheEndOfWhatACallWrites() {
        for (int i = 0; i < 100; i++) {
            write("\ud83d\ude00".repeat(1000));
        }
        write("end");
        shown.flush();
        assertEquals(1, updates.size());
        String text = textOf(updates.getFirst());
        assertTrue(text.endsWith("\ud83d\ude00end") && text.length() <= 16_384, "its end");
        assertTrue(Character.isHighSurrogate(text.charAt(0)), "no half of a character");
    }

    @Test
    void shouldTellACallOnceAndUpdateItThen() {
        write("a");
        shown.flush();
        shown.handle(
                new Frame.Tool("c1", null, "Bash", "execute", null, Frame.Tool.Progress.COMPLETED, null, "ab", false));
        shown.flush();
        assertEquals("a", textOf(updates.getFirst()));
        SessionUpdate.ToolCallUpdate update = (SessionUpdate.ToolCallUpdate) updates.get(1);
        assertEquals(CallFields.Status.COMPLETED, update.call().status());
        assertEquals("Bash", update.call().title());
        assertEquals(2, updates.size());
    }
}
