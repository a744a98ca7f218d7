package brig.workeragent.recording;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What lies in a cassette. */
class RecorderTest {
    private final AtomicLong now = new AtomicLong(1_000);
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final Recorder recorder = new Recorder(file, "shell", "text", now::get);

    private List<String> lines() {
        return file.toString(UTF_8).lines().toList();
    }

    private static <T> T read(String line, Class<T> type) {
        return Json.read(line.getBytes(UTF_8), type);
    }

    @Test
    void shouldBeginWithItsFormatAndWriteEachPieceWithItsTime() {
        now.set(1_250);
        recorder.piece("stdout", "xhellox".getBytes(UTF_8), 1, 5);
        recorder.exit(3);
        assertEquals(
                List.of(
                        "{\"cassette\":1,\"agent\":\"shell\",\"adapter\":\"text\"}",
                        "{\"t\":250,\"pipe\":\"stdout\",\"text\":\"hello\"}",
                        "{\"t\":250,\"exit\":3}"),
                lines());
        assertEquals("text", read(lines().getFirst(), CassetteHead.class).adapter());
    }

    @Test
    void shouldKeepBytesThatAreNoText() {
        byte[] half = {(byte) 0xe2, (byte) 0x82};
        recorder.piece("stderr", half, 0, half.length);
        assertEquals("{\"t\":0,\"pipe\":\"stderr\",\"base64\":\"4oI=\"}", lines().getLast());
        assertArrayEquals(half, read(lines().getLast(), CassetteEntry.class).bytes());
    }

    @Test
    void shouldTakeTheFirstLineForAnEntryInWhichNothingHappens() {
        assertEquals(new CassetteEntry(null, null, null, null, null), read(lines().getFirst(), CassetteEntry.class));
        assertNull(read("{\"t\":1,\"exit\":0}", CassetteEntry.class).pipe());
    }
}
