package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agents that Brig did not start: what they write passes through, and is a session beside. */
@Timeout(90)
@Order(4)
class TrackTest {
    private static final Path AGENTS = Path.of("../worker-agent/formats/src/test/resources/agents")
            .toAbsolutePath()
            .normalize();
    private static final Path CLAUDE = AGENTS.resolve("claude/subagent-nested-fg-forward.ndjson");

    private static Product product;
    /** What a test started and did not wait for. */
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Process start(ProcessBuilder builder) throws IOException {
        started.add(builder.start());
        return started.getLast();
    }

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static JsonObject status(String id) throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"" + id + "\"}");
    }

    private static JsonObject tree(String id) throws IOException {
        return product.ask("{\"action\":\"tree\",\"id\":\"" + id + "\"}");
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "claude/subagents-bg, claude-stream-json, 2, 1",
        "claude/subagent-nested-fg-forward, claude-stream-json, 2, 2",
        "opencode-json/run-subagent-nested-depth2, opencode-json, 1, 1",
        "codex-json/subagent, codex-json, 1, 1"
    })
    void shouldPassInputThroughAndShowItsTree(String recording, String format, int agents, int depth)
            throws IOException {
        String written = Files.readString(AGENTS.resolve(recording + ".ndjson"));
        String task = recording.replace('/', '-');
        Run run = product.brigWith(written, "track", "--format", format, "--task-id", task);
        assertEquals(0, run.exitCode(), run::err);
        assertEquals(written, run.out());
        assertEquals("brig: tracking as " + task + "\n", run.err());

        JsonObject counts = tree(task).object("counts");
        assertEquals(agents, counts.number("agents", -1));
        assertEquals(agents, counts.number("completed", -1));
        assertEquals(depth, counts.number("max_depth", -1));
        JsonObject view = status(task);
        assertEquals("terminated", view.text("state"));
        assertEquals("tracked", view.text("provider"));
        assertEquals(
                "none: not started by Brig",
                view.object("posture").objects("properties").getFirst().text("detail"));
        assertFalse(product.brig("logs", task).out().isEmpty());
    }

    @Test
    void shouldRunTheCommandAndEndAsItDoes() throws IOException {
        Run run = product.brig(
                "track",
                "--format",
                "claude-stream-json",
                "--task-id",
                "command",
                "--",
                "sh",
                "-c",
                "cat " + CLAUDE + "; printf 'no newline'; echo oops >&2; exit 7");
        assertEquals(7, run.exitCode(), run::err);
        assertEquals(Files.readString(CLAUDE) + "no newline", run.out());
        assertTrue(run.err().contains("oops\n"), run::err);
        assertEquals(7, status("command").object("exit").number("exit_code", -1));
        assertTrue(product.brig("sessions", "--all", "--posture").out().contains("none: not started by Brig"));
        String inner = tree("command").objects("agents").get(1).text("agent_id", "");
        assertTrue(product.brig("logs", "--agent", inner, "command").out().startsWith("Child INNER starts."));
    }

    @Test
    void shouldBeASessionThatOnlyListensWhileTheAgentRuns() throws Exception {
        Path go = product.folder().resolve("go-live");
        Process track = start(new ProcessBuilder(product.command(
                        "track",
                        "--format",
                        "claude-stream-json",
                        "--task-id",
                        "live",
                        "--",
                        "sh",
                        "-c",
                        "head -n 5 " + CLAUDE + "; until [ -e " + go + " ]; do sleep 0.05; done; tail -n +6 " + CLAUDE))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD));
        Await.until(
                "a sub-agent runs",
                () -> tree("live").has("counts")
                        && tree("live").object("counts").number("running", 0) == 1);
        assertEquals("running", status("live").text("state"));
        // Its agent's own id names it too.
        assertEquals("live", status("c45a1bf9-e20b-430a-a5a2-245f627c2c82").text("task_id"));
        Web.Answer input = product.web().post("/api/v1/sessions/live/input", "{\"content\":\"hi\"}");
        assertEquals("INPUT_NOT_ACCEPTED", input.code());
        Files.createFile(go);
        assertEquals(0, track.waitFor());
        assertEquals(2, tree("live").object("counts").number("completed", 0));
    }

    @Test
    void shouldGoOnWhenTheSessionIsEnded() throws Exception {
        Path go = product.folder().resolve("go-ended");
        Path out = product.folder().resolve("ended.out");
        Path err = product.folder().resolve("ended.err");
        Process track = start(new ProcessBuilder(product.command(
                        "track",
                        "--format",
                        "claude-stream-json",
                        "--task-id",
                        "ended",
                        "--",
                        "sh",
                        "-c",
                        "head -n 5 " + CLAUDE + "; until [ -e " + go + " ]; do sleep 0.05; done; tail -n +6 " + CLAUDE
                                + "; exit 3"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile()));
        Await.until(
                "it is there",
                () -> tree("ended").has("counts")
                        && tree("ended").object("counts").number("running", 0) == 1);
        assertEquals(0, product.brig("terminate", "ended").exitCode());
        assertEquals("requested", lastReason("ended"));
        Files.createFile(go);
        assertEquals(3, track.waitFor());
        assertEquals(Files.readString(CLAUDE), Files.readString(out));
        assertTrue(Files.readString(err).contains("from here on the agent is not tracked, and goes on"));
    }

    @Test
    @Tag("slow")
    void shouldShowTheSessionThatAnAgentWroteToAFileWhileItGrows() throws Exception {
        String session = "11111111-2222-4333-8444-555555555501";
        Path own = AGENTS.resolve("claude-session").resolve(session + ".jsonl");
        Path file = product.folder().resolve("growing.jsonl");
        List<String> lines = Files.readAllLines(own);
        Files.write(file, lines.subList(0, lines.size() / 2));
        Process track = start(new ProcessBuilder(
                        product.command("track", "-f", "--task-id", "from-file", "--session-file", file.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD));
        Await.until("it is read", () -> product.brig("logs", "from-file").err().contains("Nest. #scenario"));
        Files.write(file, lines.subList(lines.size() / 2, lines.size()), StandardOpenOption.APPEND);
        Await.until(
                "its end is read", () -> product.brig("logs", "from-file").out().contains("Nested run over."));
        assertEquals("running", status("from-file").text("state"));
        track.toHandle().destroy();
        track.waitFor();
        assertEquals("completed", lastReason("from-file"));
        assertEquals("", new String(track.getInputStream().readAllBytes(), StandardCharsets.UTF_8));

        Run whole = product.brig("track", "--task-id", "whole-file", "--session-file", own.toString());
        assertEquals("0 brig: reading as whole-file\n", whole.exitCode() + " " + whole.out() + whole.err());
        JsonObject view = tree("whole-file");
        assertEquals(2, view.object("counts").number("completed", 0));
        assertEquals(2, view.object("counts").number("max_depth", 0));
        assertEquals("/home/me/shop", status("whole-file").text("workspace"));

        Run wrong = product.brig("track", "--session-file", product.config().toString());
        assertEquals(125, wrong.exitCode());
        assertTrue(wrong.err().contains("is neither a transcript of Claude Code"), wrong::err);
        assertEquals(2, product.brig("track", "-f").exitCode());
    }

    private static String lastReason(String id) throws IOException {
        return JsonObject.read(product.brig("--json", "logs", id)
                        .out()
                        .lines()
                        .reduce((before, line) -> line)
                        .orElseThrow()
                        .getBytes(StandardCharsets.UTF_8))
                .text("reason");
    }

    @Test
    void shouldPassThroughAllTheSameWhenThereIsNoGateway() throws IOException {
        try (Product alone = Product.prepare(Map.of())) {
            Run run = alone.brig(
                    "track", "--format", "claude-stream-json", "--", "sh", "-c", "cat " + CLAUDE + "; exit 5");
            assertEquals(5, run.exitCode(), run::err);
            assertEquals(Files.readString(CLAUDE), run.out());
            assertEquals(1, run.err().lines().count(), run::err);
            assertTrue(run.err().contains("brig serve"), run::err);
        }
    }

    @Test
    @Tag("slow")
    void shouldGoOnAndSaySoOnceWhenTheGatewayGoesAway() throws Exception {
        try (Product own = Product.start()) {
            Path go = own.folder().resolve("go");
            Path out = own.folder().resolve("own.out");
            Path err = own.folder().resolve("own.err");
            Process track = start(new ProcessBuilder(own.command(
                            "track",
                            "--format",
                            "claude-stream-json",
                            "--task-id",
                            "own",
                            "--",
                            "sh",
                            "-c",
                            "head -n 5 " + CLAUDE + "; until [ -e " + go + " ]; do sleep 0.05; done; tail -n +6 "
                                    + CLAUDE))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile()));
            Await.until(
                    "it is there",
                    () -> own.ask("{\"action\":\"tree\",\"id\":\"own\"}").has("counts")
                            && own.ask("{\"action\":\"tree\",\"id\":\"own\"}")
                                            .object("counts")
                                            .number("running", 0)
                                    == 1);
            own.kill();
            Files.createFile(go);
            assertEquals(0, track.waitFor());
            assertEquals(Files.readString(CLAUDE), Files.readString(out));
            assertEquals(
                    List.of("brig: tracking as own"),
                    Files.readAllLines(err).stream()
                            .filter(line -> !line.contains("is not tracked"))
                            .toList());
            assertEquals(2, Files.readAllLines(err).size(), () -> "once");
            own.serve();
            JsonObject view = own.ask("{\"action\":\"status\",\"id\":\"own\"}");
            assertEquals("terminated", view.text("state"));
            assertTrue(view.text("last_error", "").startsWith("WORKER_LOST"), view::toString);
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource(
            delimiter = '|',
            value = {
                "INVALID_FIELD | {'type':'state','seq':2,'ts':1,'state':'running'}",
                "INVALID_FIELD | {'type':'gap','seq':1,'ts':1,'from':1,'to':2}",
                "INVALID_FIELD | {'type':'egress','seq':1,'ts':1,'kind':'allowed'}",
                "INVALID_FIELD | {'type':'state','seq':1,'ts':1,'state':'throttled'}",
                "INVALID_FIELD | {'type':'chunk','seq':1,'ts':1,'stream':'text'}",
                "INVALID_FIELD | {'type':'chunk','seq':1,'stream':'text','content':''}",
                "INVALID_FIELD | {'type':'done','seq':1,'ts':1}",
                "INVALID_FIELD | {'type':'session','seq':1,'ts':1,'session_id':7}",
                "LINE_TOO_LONG | {'type':'chunk','seq':1,'ts':1,'stream':'text','content':'LONG'}",
                "MALFORMED_JSON | {'type':'chunk',]"
            })
    void shouldRefuseWhatIsNoFrameAndEndTheSession(String code, String line) throws IOException {
        try (Wire teller = product.dial()) {
            teller.sendLine("{\"action\":\"track\",\"agent\":\"x\"}");
            JsonObject answer = message(teller.line());
            teller.sendLine(line.replace('\'', '"').replace("LONG", "x".repeat(70_000)));
            assertEquals(code, message(teller.line()).text("code"));
            Await.until(
                    "it is over",
                    () -> status(answer.text("spawn_id", "")).text("state", "").equals("terminated"));
            assertEquals("worker_lost", lastReason(answer.text("spawn_id", "")));
        }
    }

    private static JsonObject message(String line) {
        return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayWhatFormatIsMissing() throws IOException {
        Run run = product.brig("track", "--", "ls");
        assertEquals(125, run.exitCode());
        assertTrue(run.err().contains("--format"), run::err);
        assertEquals(125, product.brigWith("", "track", "--format", "text").exitCode());
    }
}
