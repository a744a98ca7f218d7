package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkLineTest {
    private static ChunkLine chunk(String agent, long seq, long ts, String content) {
        byte[] line = Json.writeLine(new NumberedFrame(
                seq, ts, new Frame.Chunk(agent.isEmpty() ? null : agent, null, Frame.Chunk.Channel.TEXT, content)));
        byte[] within = ("##" + new String(line, StandardCharsets.UTF_8) + "##").getBytes(StandardCharsets.UTF_8);
        ChunkLine read = ChunkLine.read(within, 2, line.length);
        assertNotNull(read);
        assertEquals(line.length, read.length());
        assertEquals(new String(line, StandardCharsets.UTF_8), new String(read.line(), StandardCharsets.UTF_8));
        return read;
    }

    private static String merged(ChunkLine first, ChunkLine last) {
        byte[] contents = new byte[first.length() + last.length()];
        byte[] line = last.merged(first.seq(), contents, last.copyContent(contents, first.copyContent(contents, 0)));
        assertTrue(line.length <= contents.length, "no longer than both");
        return new String(line, StandardCharsets.UTF_8);
    }

    @Test
    void shouldJoinTextsAsTheyAreEscaped() {
        String line = merged(chunk("", 9, 1000, "a\"}\n\\"), chunk("", 10, 1020, "\\\",\"content\":\"\u0001é😀"));
        NumberedFrame frame =
                JsonObject.read(line.getBytes(StandardCharsets.UTF_8)).as(NumberedFrame.class);
        assertEquals(10, frame.seq());
        assertEquals(9, frame.from());
        assertEquals(9, frame.firstSeq());
        assertEquals(1020, frame.ts());
        assertEquals(
                new Frame.Chunk(null, null, Frame.Chunk.Channel.TEXT, "a\"}\n\\\\\",\"content\":\"\u0001é😀"),
                frame.frame());
        assertTrue(line.startsWith("{\"type\":\"chunk\",\"seq\":10,\"from\":9,\"ts\":1020,"), line);
    }

    @Test
    void shouldBeNoLongerThanBothWhereverNumbersGrow() {
        String line = merged(chunk("", 1, 1, ""), chunk("", 9007199254740991L, 9007199254740991L, ""));
        assertTrue(line.contains("\"seq\":9007199254740991,\"from\":1,"), line);
    }

    @Test
    void shouldTellTheSameTextFromAnother() {
        ChunkLine first = chunk("a", 1, 1000, "x");
        assertTrue(chunk("a", 2, 1050, "y").continues(first, 50));
        assertTrue(chunk("a", 2, 1000, "y").continues(first, 50));
        assertFalse(chunk("a", 2, 1051, "y").continues(first, 50), "later");
        assertFalse(chunk("a", 2, 999, "y").continues(first, 50), "a clock that was set back");
        assertFalse(chunk("b", 2, 1000, "y").continues(first, 50));
        assertFalse(chunk("", 2, 1000, "y").continues(first, 50));
        assertFalse(chunk("a\",\"content\":\"", 2, 1000, "y").continues(first, 50));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"tool\",\"seq\":1,\"ts\":1,\"content\":\"x\"}\n",
                "{\"seq\":1,\"type\":\"chunk\",\"ts\":1,\"content\":\"x\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"content\":\"x\"}\n",
                "{\"type\":\"chunk\",\"seq\":,\"ts\":1,\"content\":\"x\"}\n",
                "{\"type\":\"chunk\",\"seq\":12345678901234567,\"ts\":1,\"content\":\"x\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"stream\":\"text\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\",\"truncated\":true}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\",\"later\":\"y\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"x\":{\"y\":1,\"content\":\"x\"},\"content\":\"y\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\\\"}\n",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\"}",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\"}\r\n",
                "{\"type\":\"chunk\",\"seq\":1",
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"content\":\"x\"}\n\n",
                "\n",
            })
    void shouldLeaveOtherFormsAlone(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        assertNull(ChunkLine.read(bytes, 0, bytes.length));
    }

    @Test
    void shouldNotReadBeyondItsLine() {
        byte[] bytes = "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"stream\":\"text\",\"content\":\"x\"}\n"
                .getBytes(StandardCharsets.UTF_8);
        for (int length = 0; length < bytes.length; length++) {
            assertNull(ChunkLine.read(bytes, 0, length));
        }
        assertNotNull(ChunkLine.read(bytes, 0, bytes.length));
    }
}
