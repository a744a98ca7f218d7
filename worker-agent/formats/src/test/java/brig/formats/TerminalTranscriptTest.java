package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Adapter;
import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.formats.adapter.AgentTask;
import brig.formats.adapter.TerminalAdapter;
import brig.formats.adapter.TerminalFollower;
import brig.protocol.Limits;
import brig.protocol.json.Json;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Claude Code 2.1.330, Codex 0.169.0 and OpenCode 1.18.33 on a terminal write, without fields that Brig ignores. */
class TerminalTranscriptTest {
    private static final Path AGENTS = Path.of("src/test/resources/agents");
    private static final String EVENTS = "/tmp/.brig-events";

    private final List<ScriptedTalk.Frame> frames = new ArrayList<>();
    /** The files that are followed, by number. */
    private final List<String> followed = new ArrayList<>();

    private boolean takesInput = true;
    private int longest;

    private OutputReader open(String format) {
        return new TerminalAdapter(
                        new TerminalSize(80, 24),
                        (size, sink, answers) -> TerminalFollower.NONE,
                        Transcripts.named(format).orElseThrow())
                .open(new Adapter.Context(
                        this::take,
                        this::order,
                        null,
                        () -> {},
                        new AgentTask("/workspace", null, null, null, false, ScriptedTalk.answering(true))))
                .reader(Pipe.STDERR);
    }

    private void take(FrameType type, byte[] body, int length) {
        longest = Math.max(longest, length);
        Map<String, Object> fields = new TreeMap<>(Json.parseObject(
                new String(body, 0, length, UTF_8).replaceFirst(",", "{").getBytes(UTF_8)));
        frames.add(new ScriptedTalk.Frame(type, fields));
    }

    private boolean order(byte[] record) {
        if (takesInput && record[0] == 'f') {
            assertEquals(followed.size(), ByteBuffer.wrap(record).getShort(3));
            followed.add(new String(record, 6, record.length - 6, UTF_8));
        }
        return takesInput;
    }

    private static byte[] report(char kind, int number, byte[] data) {
        return ByteBuffer.allocate(5 + data.length)
                .put((byte) kind)
                .putShort((short) number)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    private static void send(OutputReader reader, byte[] bytes) throws InterruptedException {
        reader.read(bytes, 0, bytes.length, 7);
    }

    private void write(OutputReader reader, String path, String text) throws InterruptedException {
        byte[] bytes = text.getBytes(UTF_8);
        for (int at = 0; at < bytes.length; at += 30_000) {
            byte[] piece = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 30_000));
            send(reader, report('d', followed.indexOf(path), piece));
        }
    }

    /** Plays a recording whose lines have a file and what was written to it. */
    private void play(OutputReader reader, String recording) throws Exception {
        for (String line : Files.readAllLines(AGENTS.resolve("terminal/" + recording))) {
            int space = line.indexOf(' ');
            String file = line.substring(0, space).replace("events", EVENTS);
            assertTrue(followed.contains(file), () -> file + " is not followed, but " + followed);
            write(reader, file, line.substring(space + 1) + "\n");
        }
        send(reader, report('q', 0, new byte[0]));
        reader.finish(8);
    }

    private Stream<ScriptedTalk.Frame> all(FrameType type) {
        return frames.stream().filter(frame -> frame.type() == type);
    }

    private String texts(FrameType type, String... fields) {
        return all(type)
                .map(frame -> Stream.of(fields)
                        .map(field -> String.valueOf(frame.fields().getOrDefault(field, "-")))
                        .collect(Collectors.joining(" ")))
                .collect(Collectors.joining("|"));
    }

    @Test
    void shouldReadTheRolloutsOfCodex() throws Exception {
        play(open("codex"), "codex.txt");
        String agent = "01a21917-5896-73a0-8deb-34f51e25c19e";
        assertEquals("#scenario:subagent", texts(FrameType.MESSAGE, "content"));
        assertEquals("idle|working|idle", texts(FrameType.ACTIVITY, "activity"));
        assertEquals(
                "- text Delegating.|" + agent + " text Child A starts.|" + agent
                        + " text childA-0 childA-1 childA-2 childA-3 childA-4 childA-5 childA-6 childA-7 childA-8 childA-9"
                        + "|- text The sub-agent reported back.",
                texts(FrameType.CHUNK, "agent", "stream", "content"));
        assertEquals(
                agent + " exec_command completed|- spawn_agent completed|- wait_agent completed",
                texts(FrameType.TOOL, "agent", "name", "status"));
        assertTrue(texts(FrameType.SUBAGENT, "depth", "status", "parent_tool_id", "summary")
                .endsWith(
                        "1 completed call_19_0 childA-0 childA-1 childA-2 childA-3 childA-4 childA-5 childA-6 childA-7"
                                + " childA-8 childA-9"));
        assertEquals(
                agent + " 5160 20|" + agent + " 5297 20|- 5501 20|- 5637 20|- 5856 20",
                texts(FrameType.USAGE, "agent", "input_tokens", "output_tokens"));
        assertEquals(0, all(FrameType.DONE).count());
    }

    @Test
    void shouldReadTheEventsOfOpenCode() throws Exception {
        play(open("opencode"), "opencode.txt");
        String agent = "ses_de6e7f00bffe9eWM1UMSxIyPJA";
        assertEquals("#scenario:subagent", texts(FrameType.MESSAGE, "content"));
        assertEquals("working|idle", texts(FrameType.ACTIVITY, "activity"));
        assertTrue(texts(FrameType.CHUNK, "agent", "stream", "content")
                .startsWith("- text Delegating.|" + agent + " text Child A starts.|"));
        assertTrue(texts(FrameType.TOOL, "agent", "name", "status", "output").contains("from-child-A"));
        assertTrue(texts(FrameType.SUBAGENT, "agent_id", "depth", "status").endsWith(agent + " 1 completed"));
        assertTrue(texts(FrameType.USAGE, "agent", "input_tokens").contains(agent));
    }

    @Test
    void shouldReadTheTranscriptsOfClaudeAndItsSubAgents() throws Exception {
        String session = "11111111-2222-4333-8444-555555555501";
        String own = "/home/agent/.claude/projects/-workspace/" + session + ".jsonl";
        String folder = own.replace(".jsonl", "/subagents/");
        OutputReader reader = open("claude");
        String event = "{\"hook_event_name\":\"%s\",\"session_id\":\"" + session + "\",\"transcript_path\":\"" + own
                + "\",\"tool_name\":\"Bash\"%s}\n";
        write(reader, EVENTS, event.formatted("SessionStart", ""));
        write(reader, EVENTS, event.formatted("UserPromptSubmit", ""));
        write(reader, EVENTS, event.formatted("PermissionRequest", ""));
        write(reader, own, Files.readString(AGENTS.resolve("claude-session/" + session + ".jsonl")));
        for (String agent : List.of("a18dbabbc73cf88f6", "ab0a583531c198371")) {
            write(reader, EVENTS, event.formatted("SubagentStart", ",\"agent_id\":\"" + agent + "\""));
            Path from = AGENTS.resolve("claude-session/" + session + "/subagents/agent-" + agent + ".jsonl");
            write(reader, folder + "agent-" + agent + ".jsonl", Files.readString(from));
            Path meta = from.resolveSibling("agent-" + agent + ".meta.json");
            write(
                    reader,
                    folder + "agent-" + agent + ".meta.json",
                    Files.readString(meta).strip());
            send(reader, report('q', 0, new byte[0]));
        }
        write(reader, EVENTS, event.formatted("Stop", ""));
        send(reader, report('q', 0, new byte[0]));
        assertEquals("idle -|working -|waiting wants to use Bash|working -|idle -", activities());
        assertEquals(1, all(FrameType.MESSAGE).count());
        assertEquals(0, all(FrameType.DONE).count());
        assertTrue(texts(FrameType.SUBAGENT, "agent_id", "depth", "status").contains("a18dbabbc73cf88f6 2 completed"));
        assertTrue(texts(FrameType.SUBAGENT, "agent_id", "depth", "status").contains("ab0a583531c198371 1 completed"));
        assertEquals(1, all(FrameType.USAGE).count());
        assertTrue(frames.stream().allMatch(frame -> frame.fields().get("ts").equals(7L)));
    }

    private String activities() {
        return texts(FrameType.ACTIVITY, "activity", "reason");
    }

    @Test
    void shouldFollowOnlyWhatIsAPathAndNotTooMuch() throws Exception {
        OutputReader reader = open("claude");
        for (String path :
                List.of("relative.jsonl", "/", "", "/a\\u0000b.jsonl", "/x.txt", "/" + "p".repeat(5000) + ".jsonl")) {
            write(reader, EVENTS, "{\"hook_event_name\":\"SessionStart\",\"transcript_path\":\"" + path + "\"}\n");
        }
        assertEquals(List.of(EVENTS), followed);
        for (int i = 0; i < 2000; i++) {
            write(
                    reader,
                    EVENTS,
                    "{\"hook_event_name\":\"SubagentStart\",\"transcript_path\":\"/t/s.jsonl\",\"agent_id\":\"a" + i
                            + "\"}\n" + "{\"hook_event_name\":\"SessionStart\",\"transcript_path\":\"/" + i
                            + ".jsonl\"}\n");
        }
        assertTrue(followed.size() <= 400, () -> followed.size() + " files");
        assertTrue(followed.size() > 100);
    }

    @Test
    void shouldGoOnWithoutTheFilesThatFindNoRoom() throws Exception {
        OutputReader reader = open("codex");
        takesInput = false;
        write(
                reader,
                EVENTS,
                "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"a\",\"transcript_path\":\"/a\"}\n");
        takesInput = true;
        write(
                reader,
                EVENTS,
                "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"b\",\"transcript_path\":\"/b\"}\n");
        assertEquals(List.of(EVENTS, "/b"), followed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldBearAnyReportsAndAnyLines(String format) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> lines = new ArrayList<>();
        for (String recording : List.of("codex.txt", "opencode.txt")) {
            for (String line : Files.readAllLines(AGENTS.resolve("terminal/" + recording))) {
                lines.add(line.substring(line.indexOf(' ') + 1));
            }
        }
        for (int round = 0; round < 20; round++) {
            followed.clear();
            OutputReader reader = open(format);
            for (int i = 0; i < 200; i++) {
                StringBuilder line = new StringBuilder(lines.get(random.nextInt(lines.size())));
                for (int cut = random.nextInt(3); cut > 0; cut--) {
                    line.setCharAt(random.nextInt(line.length()), (char) random.nextInt(128));
                }
                byte[] bytes = line.append('\n').toString().getBytes(UTF_8);
                send(reader, report('d', random.nextInt(followed.size()), bytes));
                if (random.nextInt(10) == 0) {
                    send(reader, report("eq".charAt(random.nextInt(2)), 0, new byte[0]));
                }
            }
            byte[] noise = new byte[1000];
            random.nextBytes(noise);
            send(reader, noise);
            reader.finish(9);
        }
        assertTrue(longest < Limits.FRAME_BYTES_MAX, () -> "seed " + seed);
    }

    @Test
    void shouldReadTheSameWhereverReportsAreCut() throws Exception {
        OutputReader whole = open("codex");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        play(
                new OutputReader() {
                    @Override
                    public void read(byte[] bytes, int offset, int count, long nowMs) throws InterruptedException {
                        all.write(bytes, offset, count);
                        whole.read(bytes, offset, count, nowMs);
                    }

                    @Override
                    public void finish(long nowMs) throws InterruptedException {
                        whole.finish(nowMs);
                    }
                },
                "codex.txt");
        List<ScriptedTalk.Frame> expected = List.copyOf(frames);
        frames.clear();
        followed.clear();
        OutputReader cut = open("codex");
        for (byte one : all.toByteArray()) {
            send(cut, new byte[] {one});
        }
        cut.finish(8);
        assertEquals(expected.toString(), frames.toString());
    }

    @Test
    void shouldLeaveALineOutThatIsTooLong() throws Exception {
        OutputReader reader = open("codex");
        write(
                reader,
                EVENTS,
                "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"a\",\"transcript_path\":\"/a\"}\n");
        String piece = "x".repeat(30_000);
        for (int i = 0; i < 300; i++) {
            write(reader, "/a", piece);
        }
        write(reader, "/a", "\n{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_started\"}}\n");
        assertEquals("LINE_TOO_LONG", texts(FrameType.ERROR, "code"));
        assertEquals("idle|working", texts(FrameType.ACTIVITY, "activity"));
    }
}
