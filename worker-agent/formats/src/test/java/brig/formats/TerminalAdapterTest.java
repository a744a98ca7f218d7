package brig.formats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.Dialogue;
import brig.formats.adapter.TerminalAdapter;
import brig.formats.adapter.TerminalFollower;
import brig.protocol.spawn.TerminalSize;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TerminalAdapterTest {
    private final List<String> frames = new ArrayList<>();
    private final List<byte[]> input = new ArrayList<>();
    private final StringBuilder followed = new StringBuilder();
    private boolean open = true;

    private final Dialogue terminal = new TerminalAdapter(
                    new TerminalSize(80, 24),
                    (size, sink, answers) -> {
                        followed.append(size.cols());
                        return new TerminalFollower() {
                            @Override
                            public void handleOutput(CharSequence text, long nowMs) {
                                followed.append('[').append(text).append(']');
                                if (text.toString().contains("?")) {
                                    assertTrue(answers.test("!".getBytes(StandardCharsets.UTF_8)));
                                }
                            }

                            @Override
                            public void handleSize(TerminalSize now, long nowMs) {
                                followed.append('(').append(now.cols()).append(')');
                            }
                        };
                    },
                    null)
            .open(new Adapter.Context(
                    (type, body, length) ->
                            frames.add(type.wireName() + new String(body, 0, length, StandardCharsets.UTF_8).strip()),
                    bytes -> open && input.add(bytes),
                    null,
                    () -> {},
                    new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(true))));

    private void write(byte... bytes) throws InterruptedException {
        terminal.reader(Pipe.STDOUT).read(bytes, 0, bytes.length, 7);
    }

    private void write(String text) throws InterruptedException {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayItsSizeBeforeAllElseAndThenEachOther() throws InterruptedException {
        write("a\u001b[1m");
        assertTrue(terminal.resize(new TerminalSize(80, 24), 8));
        assertTrue(terminal.resize(new TerminalSize(100, 30), 9));
        write("b");
        assertEquals(
                List.of(
                        "tty,\"ts\":7,\"cols\":80,\"rows\":24}",
                        "chunk,\"ts\":7,\"stream\":\"tty\",\"content\":\"a\\u001b[1m\"}",
                        "tty,\"ts\":9,\"cols\":100,\"rows\":30}",
                        "chunk,\"ts\":7,\"stream\":\"tty\",\"content\":\"b\"}"),
                frames);
        assertEquals("80[a\u001b[1m](100)[b]", followed.toString());
    }

    @Test
    void shouldSayItsSizeWhenNothingIsWritten() throws InterruptedException {
        assertTrue(terminal.resize(new TerminalSize(80, 24), 1));
        assertEquals(List.of("tty,\"ts\":1,\"cols\":80,\"rows\":24}"), frames);
        assertEquals(List.of(), input);
    }

    @Test
    void shouldShowTheSameWhereverReadsAreCut() throws InterruptedException {
        byte[] bytes = "é€😀".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(bytes);
        all.write(0xff);
        all.write(0xe2);
        all.write('x');
        for (byte one : all.toByteArray()) {
            write(one);
        }
        terminal.reader(Pipe.STDOUT).finish(8);
        String joined =
                String.join("", frames).replaceAll("chunk,\"ts\":7,\"stream\":\"tty\",\"content\":\"(.*?)\"}", "$1");
        assertTrue(joined.endsWith("é€😀\uFFFD\uFFFDx"), joined);
        assertEquals("é€😀\uFFFD\uFFFDx", followed.toString().replaceAll("^80|[\\[\\]]", ""));
    }

    @Test
    void shouldFrameKeysSizesAndAnswers() throws InterruptedException {
        assertTrue(terminal.keys("é\u0003"));
        assertTrue(terminal.resize(new TerminalSize(1000, 500), 1));
        write("?");
        assertArrayEquals(new byte[] {'k', 0, 3, (byte) 0xc3, (byte) 0xa9, 3}, input.get(0));
        assertArrayEquals(new byte[] {'s', 0, 4, 3, (byte) 0xe8, 1, (byte) 0xf4}, input.get(1));
        assertArrayEquals(new byte[] {'k', 0, 1, '!'}, input.get(2));
        assertTrue(terminal.keys("x".repeat(70_000)));
        assertEquals(70_000 + 2 * 3, input.get(3).length);
    }

    @Test
    void shouldRefuseWhatHasNoRoomAndKeepItsSizeThen() throws InterruptedException {
        open = false;
        assertFalse(terminal.keys("x"));
        assertFalse(terminal.resize(new TerminalSize(100, 30), 1));
        assertEquals(1, frames.size());
        assertFalse(terminal.send("a message"));
    }
}
