package brig.formats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.FrameSink;
import brig.formats.adapter.ScreenCheckpoints;
import brig.formats.terminal.TerminalModel;
import brig.protocol.Limits;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenCheckpointsTest {
    private static final String ESC = "\u001b";
    private static final int MEGABYTE = 1 << 20;
    private static final long NOW = 7;

    private final List<JsonObject> frames = new ArrayList<>();
    private final List<String> typed = new ArrayList<>();
    private boolean full;

    private final FrameSink sink = (type, body, length) -> {
        assertEquals(FrameType.SCREEN, type);
        assertTrue(length < Limits.FRAME_BYTES_MAX, "frame of " + length);
        byte[] line = new String(body, 0, length, StandardCharsets.UTF_8)
                .replaceFirst(",", "{")
                .getBytes(StandardCharsets.UTF_8);
        frames.add(JsonObject.read(line));
    };
    private ScreenCheckpoints checkpoints = follow(40, 10);

    private ScreenCheckpoints follow(int columns, int rows) {
        return new ScreenCheckpoints(new TerminalSize(columns, rows), sink, keys -> {
            typed.add(new String(keys, StandardCharsets.UTF_8));
            return !full;
        });
    }

    private void write(String output) throws InterruptedException {
        checkpoints.handleOutput(output, NOW);
    }

    /** Bytes of output that leave the screen as it is. */
    private void pass(int bytes) throws InterruptedException {
        String piece = ESC + "[m" + "\r".repeat(97);
        for (int left = bytes; left > 0; left -= piece.length()) {
            write(left < piece.length() ? "\r".repeat(left) : piece);
        }
    }

    private static TerminalModel terminal(int columns, int rows, String output) {
        TerminalModel terminal = new TerminalModel(columns, rows, answer -> {});
        terminal.write(output);
        return terminal;
    }

    @Test
    void shouldWriteACheckpointWithEachMegabyte() throws InterruptedException {
        write(ESC + "[31mhello\r\nworld\r");
        pass(MEGABYTE - 30);
        assertEquals(List.of(), frames);
        pass(30);
        assertEquals(1, frames.size());
        assertEquals(40, frames.getFirst().number("cols", 0));
        assertEquals(10, frames.getFirst().number("rows", 0));
        assertEquals(NOW, frames.getFirst().number("ts", 0));
        String content = frames.getFirst().text("content", "");
        assertEquals(
                terminal(40, 10, ESC + "[31mhello\r\nworld\r" + ESC + "[m").state(),
                terminal(40, 10, content).state());
        pass(MEGABYTE);
        assertEquals(2, frames.size());
    }

    @Test
    void shouldCountBytesAndNotCharacters() throws InterruptedException {
        for (int i = 0; i < MEGABYTE / 4; i += 64) {
            write("漢\r".repeat(64));
        }
        assertEquals(1, frames.size());
    }

    @Test
    void shouldWriteNoCheckpointWithinASequence() throws InterruptedException {
        pass(MEGABYTE - 2);
        write(ESC + "]0;ti");
        write("tle");
        assertEquals(List.of(), frames);
        write("\u0007x");
        assertEquals(1, frames.size());
        assertTrue(frames.getFirst().text("content", "").contains("]2;title"));
    }

    @Test
    void shouldWriteACheckpointAtOnceAfterAChangeOfSize() throws InterruptedException {
        write("0123456789".repeat(4) + "wrapped");
        checkpoints.handleSize(new TerminalSize(20, 5), NOW);
        assertEquals(1, frames.size());
        TerminalModel cut = terminal(40, 10, "0123456789".repeat(4) + "wrapped");
        cut.resize(20, 5);
        assertEquals(
                cut.state(),
                terminal(20, 5, frames.getFirst().text("content", "")).state());
        pass(MEGABYTE - 1);
        assertEquals(1, frames.size());
    }

    @Test
    void shouldWriteACheckpointAfterAChangeOfSizeWhereTheNextSequenceEnds() throws InterruptedException {
        write(ESC + "[3");
        checkpoints.handleSize(new TerminalSize(50, 20), NOW);
        assertEquals(List.of(), frames);
        write("1mred");
        assertEquals(1, frames.size());
        assertEquals(50, frames.getFirst().number("cols", 0));
    }

    /** Scenario: a captain changes the size for ever, and each checkpoint is large. */
    @Test
    void shouldBoundWhatChangesOfSizeWrite() throws InterruptedException {
        checkpoints = follow(320, 60);
        paint(320, 60);
        long now = NOW;
        for (int i = 0; i < 200; i++) {
            checkpoints.handleSize(new TerminalSize(320 + i % 2, 60), ++now);
        }
        long written = frames.stream()
                .mapToLong(frame -> frame.text("content", "").length())
                .sum();
        assertTrue(written < 6 * MEGABYTE, written + " characters");
        frames.clear();
        checkpoints.handleSize(new TerminalSize(300, 60), now + 60_000);
        assertEquals(300, frames.getLast().number("cols", 0));
        for (int i = 0; i < 200; i++) {
            checkpoints.handleSize(new TerminalSize(320 + i % 2, 60), now + 60_000);
        }
        frames.clear();
        pass(1 << 16);
        assertEquals(321, frames.getLast().number("cols", 0));
    }

    /** Each cell with colours of its own: the checkpoint is longer than a frame, and the next one comes later. */
    private void paint(int columns, int rows) throws InterruptedException {
        StringBuilder screen = new StringBuilder(ESC + "[H");
        for (int i = 0; i < columns * rows; i++) {
            screen.append(ESC + "[38;2;%d;%d;200;48;2;%d;7;%dmx".formatted(i % 251, i % 241, i % 239, i % 211));
        }
        write(screen.toString());
    }

    @Test
    void shouldWriteALongCheckpointInPieces() throws InterruptedException {
        checkpoints = follow(320, 60);
        paint(320, 60);
        while (frames.isEmpty()) {
            pass(1_000);
        }
        assertTrue(frames.size() > 5, frames.size() + " pieces");
        StringBuilder content = new StringBuilder();
        for (JsonObject frame : frames) {
            content.append(frame.text("content", ""));
            assertEquals(frame != frames.getLast(), frame.flag("more"));
        }
        assertTrue(2 * content.length() > MEGABYTE);
        int pieces = frames.size();
        pass(MEGABYTE);
        assertEquals(pieces, frames.size(), "in proportion to its size");
        pass(MEGABYTE);
        assertEquals(2 * pieces, frames.size());
    }

    @Test
    void shouldWriteNoCheckpointThatIsTooLong() throws InterruptedException {
        checkpoints = follow(1000, 200);
        paint(1000, 200);
        pass(MEGABYTE);
        assertEquals(List.of(), frames);
        write(ESC + "[m" + ESC + "[2J");
        pass(MEGABYTE);
        assertEquals(1, frames.size());
    }

    @Test
    void shouldTypeAnswersToTheAgent() throws InterruptedException {
        write("ab" + ESC + "[6n" + ESC + "[5n");
        assertEquals(List.of(ESC + "[1;3R" + ESC + "[0n"), typed);
        write(ESC + "[6n");
        assertEquals(2, typed.size());
    }

    @Test
    void shouldBoundAnswersAndLoseThoseWithoutRoom() throws InterruptedException {
        full = true;
        write((ESC + "[c").repeat(10_000));
        assertEquals(1, typed.size());
        assertTrue(typed.getFirst().length() <= 1 << 14);
        full = false;
        write(ESC + "[5n");
        assertEquals(ESC + "[0n", typed.getLast());
    }
}
