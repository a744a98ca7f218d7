package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScreenSearchTest {
    private final MemoryArchive archive = new MemoryArchive(Runnable::run, Runnable::run);
    private long seq;

    private void add(String rest) {
        seq++;
        byte[] line = ("{\"type\":\"" + rest.replace("SEQ", "\"seq\":" + seq + ",\"ts\":1") + "}\n")
                .getBytes(StandardCharsets.UTF_8);
        archive.append(seq, seq, Unpooled.wrappedBuffer(line));
    }

    private void chunks(int count) {
        for (int i = 0; i < count; i++) {
            add("chunk\",SEQ,\"stream\":\"tty\",\"content\":\"" + "x".repeat(100) + "\"");
        }
    }

    private void screen(boolean more) {
        add("screen\",SEQ,\"cols\":80,\"rows\":24,\"content\":\"\\\",\\\"more\\\":true}\""
                + (more ? ",\"more\":true" : ""));
    }

    private long found() {
        ScreenMark mark = new ScreenMark();
        new ScreenSearch(archive, seq, mark).begin();
        return mark.seq();
    }

    @Test
    void shouldFindTheFirstPieceOfTheNewestWholeCheckpoint() {
        chunks(3);
        screen(false);
        chunks(5);
        screen(true);
        chunks(1);
        screen(true);
        screen(false);
        chunks(4);
        screen(true);
        assertEquals(10, found());
    }

    @Test
    void shouldReadFurtherBackWhereTheBeginMayLieBefore() {
        chunks(2000);
        screen(false);
        long first = seq;
        chunks(2000);
        assertEquals(first, found());
        screen(true);
        long second = seq;
        chunks(300);
        screen(false);
        assertEquals(second, found());
        chunks(5000);
        assertEquals(second, found());
    }

    @Test
    void shouldFindNoneWhereNoneIs() {
        chunks(700);
        assertEquals(0, found());
        screen(true);
        assertEquals(0, found());
    }

    @Test
    void shouldKeepANewerOne() {
        screen(false);
        chunks(3);
        ScreenMark mark = new ScreenMark();
        mark.handle(9, false);
        new ScreenSearch(archive, seq, mark).begin();
        assertEquals(9, mark.seq());
    }
}
