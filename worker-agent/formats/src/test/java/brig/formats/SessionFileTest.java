package brig.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.SessionFile;
import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transcripts of Claude Code 2.1.330 and an export of OpenCode 1.18.33, without fields that Brig ignores. */
class SessionFileTest {
    private static final Path AGENTS = Path.of("src/test/resources/agents");
    private static final Path CLAUDE = AGENTS.resolve("claude-session");
    private static final String NESTED = "11111111-2222-4333-8444-555555555501";
    private static final String BACKGROUND = "11111111-2222-4333-8444-555555555502";
    private static final String OUTER = "ab0a583531c198371";
    private static final String INNER = "a18dbabbc73cf88f6";

    @TempDir
    private Path folder;

    private final List<ScriptedTalk.Frame> frames = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();

    private SessionFile open(Path file) throws IOException {
        return SessionFiles.open(file, (type, body, length) -> {
            Map<String, Object> fields = new TreeMap<>(Json.parseObject(
                    new String(body, 0, length, UTF_8).replaceFirst(",", "{").getBytes(UTF_8)));
            times.add((Long) fields.remove("ts"));
            frames.add(new ScriptedTalk.Frame(type, fields));
        });
    }

    private void readAll(Path file) throws Exception {
        SessionFile opened = open(file);
        assertTrue(opened.read());
        opened.finish();
    }

    private Stream<ScriptedTalk.Frame> all(FrameType type) {
        return frames.stream().filter(frame -> frame.type() == type);
    }

    /** The text of that agent. */
    private String said(String agent) {
        return all(FrameType.CHUNK)
                .filter(frame -> frame.text("agent").equals(agent))
                .map(frame -> frame.text("content"))
                .collect(Collectors.joining("|"));
    }

    /** The last frame of each sub-agent. */
    private Map<String, String> subAgents() {
        Map<String, String> last = new TreeMap<>();
        all(FrameType.SUBAGENT)
                .forEach(frame -> last.put(
                        frame.text("agent_id"),
                        frame.fields().get("depth") + " "
                                + frame.text("parent_id") + " " + frame.text("parent_tool_id") + " "
                                + frame.text("subagent_type") + " "
                                + frame.fields().get("background") + " " + frame.text("status")));
        return last;
    }

    /** A writable copy; {@code earlier} uses the layout of versions before 2.1. */
    private Path copy(String session, boolean earlier) throws IOException {
        try (Stream<Path> files = Files.walk(CLAUDE)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                boolean meta = file.toString().endsWith(".meta.json");
                Path to = earlier ? folder.resolve(file.getFileName()) : folder.resolve(CLAUDE.relativize(file));
                if (!meta || !earlier) {
                    Files.createDirectories(to.getParent());
                    Files.copy(file, to);
                }
            }
        }
        return folder.resolve(session + ".jsonl");
    }

    private List<String> ends() {
        return all(FrameType.DONE)
                .map(frame -> frame.fields().get("exit_code") + " " + frame.text("reason"))
                .toList();
    }

    @Test
    void shouldTellATranscriptWithItsSubAgentsInTheOrderOfTheirTimes() throws Exception {
        readAll(CLAUDE.resolve(NESTED + ".jsonl"));

        assertEquals(
                Map.of(
                        OUTER,
                        "1  toolu_0001_0 general-purpose false completed",
                        INNER,
                        "2 " + OUTER + " toolu_0002_0 general-purpose false completed"),
                subAgents());
        assertEquals("Nested run over.", said(""));
        assertEquals("Child delegates further.|Child-nest result.", said(OUTER));
        assertTrue(said(INNER).startsWith("Child INNER starts.|childINNER-0 "), said(INNER));
        assertEquals(times.stream().sorted().toList(), times);
        assertEquals(
                "Nest. #scenario:subagent-nested-fg",
                all(FrameType.MESSAGE).findFirst().orElseThrow().text("content"));
        ScriptedTalk.Frame session = all(FrameType.SESSION).findFirst().orElseThrow();
        assertEquals(
                NESTED + " claude-opus-5-5 2.1.330",
                session.text("session_id") + " " + session.text("model") + " " + session.text("agent_version"));
        assertEquals(
                Map.of("input_tokens", 5605L, "output_tokens", 40L),
                all(FrameType.DONE).findFirst().orElseThrow().fields().get("usage"));
        assertEquals(List.of("0 "), ends());
        assertEquals(0, all(FrameType.RAW).count());
    }

    @Test
    void shouldTellWhatABackgroundAgentBecameAfterItsParentWentOn() throws Exception {
        readAll(CLAUDE.resolve(BACKGROUND + ".jsonl"));
        assertEquals(
                List.of("1  toolu_0007_0 general-purpose true completed"),
                List.copyOf(subAgents().values()));
        assertEquals(
                "Delegating in background.|Parent turn 1 after background launch.|Parent turn 2 after background launch.",
                said(""));
        assertEquals(1, all(FrameType.MESSAGE).count(), "a notification is not a user message");
        assertEquals(List.of("0 "), ends());
    }

    @Test
    void shouldTellEachTurnOfASessionThatWasTakenUpAgain() throws Exception {
        readAll(CLAUDE.resolve("11111111-2222-4333-8444-555555555503.jsonl"));
        assertEquals(
                List.of("Think. #scenario:think:5", "Run #scenario:shell:echo hi"),
                all(FrameType.MESSAGE).map(frame -> frame.text("content")).toList());
        assertEquals(List.of("0 ", "0 "), ends());
        assertEquals(
                "hi",
                all(FrameType.TOOL)
                        .filter(tool -> tool.text("status").equals("completed"))
                        .findFirst()
                        .orElseThrow()
                        .text("output"));
    }

    @Test
    void shouldFindTheTranscriptsOfEarlierVersionsBesideTheSession() throws Exception {
        readAll(copy(NESTED, true));
        assertEquals(
                "1  toolu_0001_0 general-purpose false completed", subAgents().get(OUTER));
        assertEquals("Child delegates further.|Child-nest result.", said(OUTER));
        assertFalse(subAgents().containsKey("a5527f4ecca5177aa"), "it is another session's");
    }

    @Test
    void shouldTellEachLineOnceWhileTheTranscriptGrows() throws Exception {
        Path file = copy(NESTED, false);
        byte[] whole = Files.readAllBytes(file);
        int begun = new String(whole, UTF_8).indexOf("\"assistant\"");
        Files.write(file, Arrays.copyOf(whole, begun));
        SessionFile opened = open(file);
        for (int at = begun; at < whole.length; at += 300) {
            opened.read();
            Files.write(
                    file, Arrays.copyOfRange(whole, at, Math.min(whole.length, at + 300)), StandardOpenOption.APPEND);
        }
        opened.read();
        assertFalse(opened.read());
        assertEquals(List.of("0 "), ends());
        opened.finish();
        assertEquals("Nested run over.", said(""));
        assertEquals("Child delegates further.|Child-nest result.", said(OUTER));

        Files.write(file, new byte[10]);
        assertThrows(IOException.class, opened::read);
    }

    @Test
    void shouldReadALastLineWithoutItsEndAndNotCallWhatLivesKilled() throws Exception {
        Path file = copy(NESTED, false);
        List<String> lines = Files.readAllLines(file).stream()
                .filter(line -> !line.contains("tool_result") && !line.contains("cost-state"))
                .toList();
        Files.writeString(file, String.join("\n", lines));
        readAll(file);
        assertEquals("Nested run over.", said(""));
        assertTrue(subAgents().get(OUTER).endsWith(" running"), subAgents()::toString);
    }

    @Test
    void shouldLeaveOutALineThatIsTooLongAndSaySo() throws Exception {
        Path file = copy(NESTED, false);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.add(lines.size() - 2, "{\"type\":\"user\",\"x\":\"" + "x".repeat(20 * 1024 * 1024) + "\"}");
        Files.write(file, lines);
        readAll(file);
        assertEquals("Nested run over.", said(""));
        assertEquals(
                List.of("LINE_TOO_LONG"),
                all(FrameType.ERROR).map(frame -> frame.text("code")).toList());
    }

    @Test
    void shouldNotBeHeldUpByAPromptThatLooksLikeANotification() throws Exception {
        Path file = copy(NESTED, false);
        String hostile = "<task-notification>" + "<task-id>x</task-id>".repeat(100_000);
        Files.writeString(
                file,
                Files.readAllLines(file).stream()
                                .filter(line -> line.contains("\"user\""))
                                .findFirst()
                                .orElseThrow()
                                .replaceFirst("Nest\\. #scenario:subagent-nested-fg", hostile)
                        + "\n",
                StandardOpenOption.APPEND);
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> readAll(file));
    }

    @Test
    void shouldSayThatAnotherFileTookItsPlace() throws Exception {
        Path file = copy(NESTED, false);
        SessionFile opened = open(file);
        assertTrue(opened.read());
        Path other = Files.writeString(folder.resolve("other"), Files.readString(file) + "{}\n");
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertThrows(IOException.class, opened::read);
    }

    @Test
    void shouldFollowATranscriptThatHasOnlyBegun() throws Exception {
        Path file = copy(NESTED, false);
        byte[] whole = Files.readAllBytes(file);
        Files.writeString(file, Files.readAllLines(file).getFirst() + "\n");
        SessionFile opened = open(file);
        opened.read();
        assertEquals(0, all(FrameType.MESSAGE).count());
        Files.write(file, whole);
        assertTrue(opened.read());
        assertEquals(1, all(FrameType.MESSAGE).count());
    }

    @Test
    void shouldEndATurnThatAPersonInterrupted() throws Exception {
        Path file = copy(NESTED, false);
        List<String> lines = Files.readAllLines(file).stream()
                .takeWhile(line -> !line.contains("Nested run over."))
                .toList();
        String interrupted = lines.stream()
                .filter(line -> line.contains("\"user\""))
                .findFirst()
                .orElseThrow()
                .replaceFirst("Nest\\. #scenario:subagent-nested-fg", "[Request interrupted by user for tool use]");
        Files.writeString(file, String.join("\n", lines) + "\n" + interrupted + "\n");
        readAll(file);
        assertEquals(List.of("1 cancelled"), ends());
    }

    @Test
    void shouldReadOnWhateverALineIs() throws Exception {
        Path file = copy(NESTED, false);
        Files.writeString(file, """
                not json
                {}
                []
                {"type":"user","message":7,"timestamp":"+999999999-12-31T23:59:59Z"}
                {"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"still here"}],"usage":{"input_tokens":-5}}}
                """, StandardOpenOption.APPEND);
        Files.writeString(folder.resolve(NESTED).resolve("subagents/agent-zzz.meta.json"), "{\"toolUseId\":7}");
        Files.createDirectory(folder.resolve(NESTED).resolve("subagents/agent-yyy.jsonl"));
        readAll(file);
        assertEquals("Nested run over.|still here", said(""));
        assertEquals("Child-nest result.", said(OUTER).split("\\|", 2)[1]);
    }

    @Test
    void shouldTellAnExportOfOpenCode() throws Exception {
        SessionFile export = open(AGENTS.resolve("opencode-export.json"));
        assertEquals("opencode /home/me/shop false", export.program() + " " + export.folder() + " " + export.grows());
        assertTrue(export.read());
        assertFalse(export.read());
        export.finish();
        assertEquals(
                List.of("\"Sub #scenario:subagent-fg\"", "\"Then #scenario:shell:echo hi\""),
                all(FrameType.MESSAGE).map(frame -> frame.text("content")).toList());
        assertEquals("Delegating.|The sub-agent reported back.|Running a command.|The command finished.", said(""));
        assertEquals(
                List.of("1  call_15_0 general false completed"),
                List.copyOf(subAgents().values()));
        assertEquals(
                10284,
                all(FrameType.USAGE)
                        .mapToLong(usage -> (Long) usage.fields().get("input_tokens"))
                        .sum());
        assertEquals(List.of("0 ", "0 "), ends());
        assertEquals(0, all(FrameType.RAW).count());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; is neither a transcript of Claude Code",
                "{\"info\":{},\"messages\":[]}; is neither a transcript of Claude Code",
                "{\"sessionId\":\"x\"}; is neither a transcript of Claude Code",
                "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}; is a rollout of Codex"
            })
    void shouldSayWhyAFileCannotBeRead(String content, String why) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), content);
        assertTrue(
                assertThrows(BrigException.class, () -> open(file)).getMessage().contains(why));
    }

    @Test
    void shouldOpenNothingThatIsNoFile() {
        assertTrue(assertThrows(BrigException.class, () -> open(folder))
                .getMessage()
                .endsWith(" is no file"));
        assertTrue(assertThrows(BrigException.class, () -> open(folder.resolve("x")))
                .getMessage()
                .endsWith(" does not exist"));
    }
}
