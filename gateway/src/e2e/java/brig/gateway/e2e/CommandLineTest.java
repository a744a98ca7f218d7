package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line as a person or a script uses it: what it prints where, and the code it exits with. */
@Timeout(60)
@Order(2)
class CommandLineTest {
    private static final int REFUSED = 125;

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    @Test
    void shouldSayVersionWhenAsked() throws IOException {
        Run run = product.brig("--version");
        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("brig "), run::out);
    }

    @Test
    @Tag("slow")
    void shouldHelpWhenAskedInWords() throws IOException {
        assertEquals(product.brig("--version").out(), product.brig("version").out());
        assertEquals(product.brig("--help").out(), product.brig("help").out());
        assertEquals(
                product.brig("run", "--help").out(), product.brig("help", "run").out());
    }

    /** The settings may be named before the command; the JVM of the gateway is no other for that. */
    @ParameterizedTest
    @CsvSource({
        "serve, serve.aot",
        "--config FILE serve, serve.aot",
        "--config=FILE --json serve, serve.aot",
        "--config serve run x, cli.aot",
        "--config FILE worker-agent --runtime-dir x, worker-agent.aot",
        "run shell -- serve, cli.aot",
        "mcp, mcp.aot",
        "--config FILE bench --quick, load-tests"
    })
    void shouldStartTheJvmOfTheCommandWhateverStandsBeforeIt(String line, String mark) throws IOException {
        Path java =
                Files.createDirectories(product.folder().resolve("java/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of(
                "env",
                "BRIG_JAVA_HOME=" + java.getParent().getParent(),
                product.command().getFirst()));
        command.addAll(List.of(line.split(" ")));
        Run run = Run.of(command, "", product.folder());
        assertTrue(run.out().contains(mark), run::out);
        List<String> words = run.out().lines().toList();
        List<String> after = words.subList(
                words.lastIndexOf(words.stream()
                                .filter(word -> word.startsWith("brig."))
                                .reduce((a, b) -> b)
                                .orElseThrow())
                        + 1,
                words.size());
        List<String> given = new ArrayList<>(List.of(line.split(" ")));
        given.remove("worker-agent");
        assertEquals(given.stream().sorted().toList(), after.stream().sorted().toList(), "nothing is lost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "record"})
    void shouldNotStartAnAgentThatNeedsAMessageWithoutOne(String command) throws IOException {
        String before = product.brig("sessions", "--all", "--json").out();
        Run run = product.brigWith("", command, "mock");
        assertEquals(2, run.exitCode(), run::toString);
        assertEquals("", run.out());
        assertEquals(
                List.of(
                        "brig: the agent 'mock' needs a message, such as: brig run --config " + product.config()
                                + " mock -- 'MESSAGE'",
                        "brig: 'brig " + command + " --help' shows how it is used"),
                run.err().lines().toList());
        assertEquals(before, product.brig("sessions", "--all", "--json").out(), "nothing was started");
    }

    @Test
    @Tag("slow")
    void shouldSayThatThereWasNoMessageWhenNothingCameOfIt() throws IOException {
        Run run = product.brigWith("", "run", "shell");
        assertTrue(
                run.err().contains("there was no message, and so nothing to do: brig run shell -- 'MESSAGE'"),
                run::err);
        assertEquals("", product.brigWith("", "run", "demo-writer").err(), "an agent that needs none");
    }

    @Test
    void shouldSayThatTheTimeWasOver() throws IOException {
        Run run = product.brig("run", "--timeout", "1", "shell", "--", "sleep 30");
        assertTrue(run.exitCode() != 0 && run.err().contains("its time was over (--timeout"), run::toString);
        assertFalse(product.brig("run", "--timeout", "30", "shell", "--", "true")
                .err()
                .contains("time was over"));
    }

    @Test
    void shouldNameTheSettingsInWhatItProposes() throws IOException {
        try (Product alone = Product.prepare(Map.of())) {
            Run run = alone.brig("sessions");
            assertTrue(run.err().contains("start one with 'brig serve --config " + alone.config() + "'"), run::err);
        }
    }

    @Test
    void shouldFindTheSettingsThatAVariableNames() throws IOException {
        List<String> command = List.of(
                "env", "BRIG_CONFIG=" + product.config(), product.command().getFirst(), "sessions", "--json");
        Run run = Run.of(command, "", product.folder());
        assertEquals(0, run.exitCode(), run::err);
        try (Product alone = Product.prepare(Map.of())) {
            Run hint = Run.of(
                    List.of(
                            "env",
                            "BRIG_CONFIG=" + alone.config(),
                            alone.command().getFirst(),
                            "sessions"),
                    "",
                    alone.folder());
            assertTrue(hint.err().contains("start one with 'brig serve'"), hint::err);
        }
    }

    @Test
    void shouldSayInFewLinesWhatIsWrongWithACommand() throws IOException {
        Run unknown = product.brig("termnate", "x");
        assertEquals(2, unknown.exitCode());
        assertTrue(unknown.err().contains("terminate") && unknown.err().contains("'brig --help'"), unknown::err);
        Run number = product.brig("attach", "--from", "abc", "x");
        assertEquals(2, number.exitCode());
        assertTrue(
                number.err().contains("'abc' is not a whole number")
                        && number.err().contains("'brig attach --help'"),
                number::err);
        for (Run run : List.of(unknown, number)) {
            assertTrue(run.err().lines().count() <= 4, run::err);
        }
        Run missing = product.program("--config", "/nowhere.json", "sessions");
        assertEquals(
                "brig: cannot read the configuration /nowhere.json: there is no such file (INVALID_FIELD)\n",
                missing.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls", "ps", "stop", "kill", "rm"})
    void shouldKnowTheWordsThatPeopleTypeElsewhere(String word) throws IOException {
        assertEquals(0, product.brig(word, "--help").exitCode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "serve",
                "run",
                "spawn",
                "attach",
                "exec",
                "logs",
                "sessions",
                "agents",
                "terminate",
                "tree",
                "track",
                "token",
                "doctor",
                "diff",
                "apply",
                "workspaces",
                "discard",
                "egress",
                "audit",
                "costs",
                "port",
                "acp",
                "status",
                "top",
                "completion",
                "man",
                "open",
                "route",
                "repository",
                "host",
                "image",
                "gondolin",
                "devcontainer"
            })
    void shouldPrintHelpWhenAsked(String command) throws IOException {
        Run run = command.isEmpty() ? product.brig("--help") : product.brig(command, "--help");
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().contains("Usage: brig " + command), run::out);
        assertEquals("", run.err());
    }

    @Test
    void shouldPrepareASessionByWhatADevcontainerSays() throws IOException {
        Path folder = Files.createDirectories(product.workspaces().resolve("prepared"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(
                folder.resolve(".devcontainer.json"),
                "{\"containerEnv\": {\"LANG\": \"C\", \"NOT_LISTED\": \"1\"}, \"postCreateCommand\": [\"sh\", \"-c\", \"echo by-project; echo $$ > first\"]}");
        Run run = product.brig(
                "run",
                "shell",
                "-w",
                folder.toString(),
                "--devcontainer",
                "-e",
                "PARAGRAPH=from-request",
                "--prepare",
                "test -s first && echo then > second",
                "--",
                "cat second; echo $LANG-$NOT_LISTED-$PARAGRAPH");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("then\nC--from-request\n", run.out());
        assertTrue(run.err().contains("--- prepare 1 ---\nby-project"), run.err());
        assertTrue(run.err().contains("NOT_LISTED has no effect"), run.err());
        Run failed = product.brig(
                "run", "shell", "-w", folder.toString(), "--prepare", "echo no rule >&2; exit 7", "--", "touch third");
        assertEquals(126, failed.exitCode(), failed::err);
        assertTrue(failed.err().contains("(prepare) ended with exit code 7; it wrote last:\\nno rule"), failed.err());
        assertFalse(Files.exists(folder.resolve("third")));
    }

    @Test
    void shouldPrintTheAnswerAloneWhenSubAgentsSpeakToo() throws IOException {
        Run run = product.brig("run", "mock", "#scenario:subagent");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("The sub-agent reported back.", run.out().strip());
        assertTrue(run.err().contains("childA-0 childA-1"), run::err);
    }

    @Test
    void shouldSayWhoSpeaksWhenSeveralAgentsDoAndThatItIsOver() throws IOException {
        product.brig("run", "--task-id", "several", "mock", "#scenario:subagents-parallel");
        Run logs = product.brig("logs", "several");
        assertEquals(
                List.of(
                        "--- general-purpose agentA ---",
                        "Child A starts.",
                        "--- general-purpose agentB ---",
                        "Child B starts.",
                        "--- claude ---",
                        "Both sub-agents reported back."),
                logs.out()
                        .lines()
                        .filter(line -> line.startsWith("---") || line.endsWith("."))
                        .toList(),
                logs::out);
        assertTrue(logs.err().contains("by cli: #scenario:subagents-parallel"), logs::err);
        Run attached = product.brigWith("", "attach", "several");
        assertEquals(logs.out(), attached.out());
        assertTrue(attached.err().startsWith("brig: the session has ended: this is what it said\n"), attached::err);
    }

    @Test
    @Tag("slow")
    void shouldPrintHelpOfEveryProgramThatHelpNames() throws IOException {
        String help = product.brig("--help").out();
        for (String program : List.of("bench", "conformance")) {
            assertTrue(help.contains("  brig " + program), help);
            Run run = product.program(program, "--help");
            assertEquals(0, run.exitCode(), run::err);
            assertTrue(
                    run.out().contains("Usage: brig " + program) && run.out().contains("  brig " + program), run::out);
            assertEquals("", run.err());
        }
    }

    @Test
    @Tag("slow")
    void shouldKeepProtocolWhenConformanceAsks() throws IOException {
        Run run = product.program(
                "conformance", product.url(), "--token", product.adminToken(), "--only", "order,end", "--json");
        assertEquals(0, run.exitCode(), run::out);
        assertTrue(run.out().contains("\"passed\":8,\"failed\":0,\"skipped\":0"), run::out);
    }

    @Test
    void shouldFailWhenConformanceIsRefused() throws IOException {
        Run run = product.program("conformance", product.url(), "--token", "brig_wrong", "--only", "end");
        assertEquals(1, run.exitCode(), run::out);
    }

    @Test
    void shouldPassOutputsAndCodeThroughWhenRunning() throws IOException {
        Run run = product.brig("run", "shell", "--", "echo hi; echo oops >&2; exit 42");
        assertEquals(42, run.exitCode());
        assertEquals("hi\n", run.out());
        assertEquals("oops\n", run.err());
    }

    @Test
    void shouldHoldAgentBehindWallWhenRunning() throws IOException {
        Run run = product.brig(
                "run",
                "--task-id",
                "walled",
                "shell",
                "--",
                "echo hi; id -u; cat /etc/shadow; touch /workspace/x; ls /root /proc/1/root/root 2>&1");
        assertTrue(run.out().startsWith("hi\n"), run::out);
        assertFalse(run.out().contains("\n0\n"), run::out);
        assertTrue(run.err().contains("/etc/shadow"), run::err);
        assertFalse(run.out().contains("root:"), run::out);
        assertTrue(Files.exists(product.workspaces().resolve("walled/x")));
    }

    @Test
    @Tag("slow")
    void shouldRunACommandInTheWorkspaceOfASessionWithItsOwnOutputAndCode() throws IOException {
        product.idle("busy");
        product.brig("exec", "busy", "--", "echo kept > file");
        Run run = product.brig("exec", "busy", "cat", "file;", "echo oops >&2; exit 7");
        assertEquals("7 kept\n oops\n", run.exitCode() + " " + run.out() + " " + run.err());
        assertEquals("read\n", product.brigWith("echo read\n", "exec", "busy").out());
        assertTrue(product.brig("exec", "busy", "--policy", "review", "--", "touch /workspace/x")
                        .exitCode()
                != 0);
        product.brig("terminate", "busy");
        Run ended = product.brig("exec", "busy", "--", "true");
        assertEquals(REFUSED, ended.exitCode());
        assertTrue(ended.err().contains("SESSION_ENDED"), ended::err);
    }

    @Test
    void shouldReadMessageFromStandardInputWhenThereIsNone() throws IOException {
        Run run = product.brigWith("echo one\necho two\n", "run", "shell");
        assertEquals("one\ntwo\n", run.out());
    }

    @Test
    void shouldListSessionsAsJsonWhenAsked() throws IOException {
        product.brig("spawn", "--task-id", "listed", "shell");
        JsonObject listed = product.brig("sessions", "--json").json().objects("spawns").stream()
                .filter(spawn -> spawn.text("task_id", "").equals("listed"))
                .findFirst()
                .orElseThrow();
        assertEquals("running", listed.text("state"));
        assertTrue(product.brig("sessions").out().contains("listed"));
        assertEquals(0, product.brig("terminate", "listed").exitCode());
    }

    @Test
    @Tag("slow")
    void shouldSayHowTheGatewayIsWhenStatusIsAsked() throws IOException {
        product.brig("spawn", "--task-id", "counted", "shell");
        JsonObject status = product.brig("status", "--json").json();
        assertEquals("open", status.text("pool"));
        assertTrue(status.number("workers", 0) >= 1, status::toString);
        assertTrue(status.number("connections", 0) >= 1, "it asks over one itself");
        Run run = product.brig("status");
        assertTrue(run.out().contains(" of 200\n") && run.out().contains(", open\n"), run::out);
        product.brig("terminate", "counted");
        try (Product alone = Product.prepare(Map.of())) {
            assertEquals(REFUSED, alone.brig("status").exitCode());
        }
    }

    @Test
    @Tag("slow")
    void shouldShowWhatRunsWhenTopIsAsked() throws IOException {
        product.brig("spawn", "--task-id", "busy", "shell", "--", "while :; do echo tick; sleep 0.05; done");
        product.brig("spawn", "--task-id", "idle", "shell");
        JsonObject top =
                product.brig("top", "--once", "--interval", "0.5", "--json").json();
        assertEquals("open", top.object("gateway").text("pool"));
        List<JsonObject> sessions = top.objects("sessions");
        JsonObject busy = sessions.getFirst();
        assertEquals("busy", busy.text("task_id"), "the busiest comes first");
        assertTrue(busy.value("frames_per_second") instanceof Number rate && rate.doubleValue() > 1, busy::toString);
        assertEquals(0, busy.number("input_tokens", 9));
        Run run = product.brig("top", "--once", "--interval", "0.2");
        assertTrue(
                run.out().matches("(?s)gateway .*\nTASK +AGENT .*\nbusy +shell +working .*\nidle +shell +idle .*"),
                run::out);
        assertEquals(REFUSED, product.brig("top", "--interval", "0").exitCode());
        product.brig("terminate", "busy");
        product.brig("terminate", "idle");
    }

    @Test
    @Tag("slow")
    void shouldCompleteCommandsSessionsAndAgentsWhenTheShellHasTheScript() throws IOException {
        Run script = product.brig("completion", "bash");
        Path file = Files.writeString(product.folder().resolve("completion"), script.out());
        assertEquals("terminate", completed(file, "brig", "term"));
        product.idle("completed");
        assertEquals("completed", completed(file, "brig", "attach", "compl"));
        assertEquals("demo-writer", completed(file, "brig", "run", "demo"));
        product.brig("terminate", "completed");
        assertEquals(script.out(), product.brig("completion", "zsh").out());
        String fish = product.brig("completion", "fish").out();
        assertTrue(fish.contains("\ncomplete -c brig -n __fish_use_subcommand -a terminate -d 'End a session"), fish);
        assertTrue(fish.contains("from attach' -l from -r -d 'The first frame to show.'\n"), fish);
        assertEquals(REFUSED, product.brig("completion", "csh").exitCode());
    }

    /** What bash proposes for the last of those words. */
    private static String completed(Path script, String... words) throws IOException {
        String brig = "brig() { " + String.join(" ", product.command()) + " \"$@\"; }; ";
        Run run = Run.of(
                List.of(
                        "bash",
                        "-c",
                        brig + "source " + script + "; COMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD="
                                + (words.length - 1)
                                + "; COMP_LINE=\"${COMP_WORDS[*]}\"; COMP_POINT=${#COMP_LINE}; $(complete -p brig | sed 's/.*-F \\([^ ]*\\).*/\\1/') brig "
                                + words[words.length - 1] + " brig; echo \"${COMPREPLY[@]}\""),
                "",
                product.folder());
        return run.out().strip();
    }

    @Test
    void shouldHaveEveryCommandInTheManualPage() throws IOException {
        String page = product.brig("man").out();
        assertTrue(page.startsWith(".TH BRIG 1 "), page);
        for (String command : List.of("SERVE", "TOP", "TOKEN CREATE", "ACP")) {
            assertTrue(page.contains("\n.SH \"BRIG " + command + "\"\n"), command);
        }
        assertTrue(page.contains("\\-\\-once"), "options are printed as they are typed");
    }

    @Test
    void shouldPrintLogsWhenSessionHasEnded() throws IOException {
        product.brig("run", "--task-id", "logged", "shell", "--", "echo first; echo second");
        assertEquals("first\nsecond\n", product.brig("logs", "logged").out());
        String last = product.brig("--json", "logs", "logged")
                .out()
                .lines()
                .reduce((before, line) -> line)
                .orElseThrow();
        assertEquals(
                "terminated",
                JsonObject.read(last.getBytes(StandardCharsets.UTF_8)).text("state"));
    }

    @Test
    void shouldSendLinesWhenAttached() throws IOException {
        Spawned spawned = product.idle("attached");
        try (Wire watcher = spawned.attach("watcher")) {
            Frames frames = new Frames().readUntilType(watcher, "state");
            Thread ending = Thread.ofVirtual().start(() -> endBehindSecondMessage(frames, watcher));
            Run run = product.brigWith("echo one\necho two\n", "attach", "attached");
            assertEquals("one\ntwo\n", run.out());
            assertEquals(0, run.exitCode());
            ending.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void endBehindSecondMessage(Frames frames, Wire watcher) {
        try {
            frames.readUntilType(watcher, "done").readUntilType(watcher, "done");
            product.ask("{\"action\":\"terminate\",\"id\":\"attached\"}");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRefuseWhenThereIsNothingToAttachTo() throws IOException {
        String why =
                "brig: there is no session 'nobody'; 'brig sessions --all' lists those that there are (NOT_FOUND)\n";
        for (List<String> command : List.of(
                List.of("attach", "nobody"),
                List.of("logs", "nobody"),
                List.of("terminate", "nobody"),
                List.of("port", "nobody", "80"))) {
            Run run = product.brig(command.toArray(String[]::new));
            assertEquals(REFUSED, run.exitCode());
            assertEquals(why, run.err());
        }
    }

    @Test
    void shouldExitWithOwnCodeWhenSessionIsNotReady() throws Exception {
        // Scenario: the worker-agent is stopped in its tracks, so that a spawn stays where it is; a script
        // attaches to it.
        long workerAgent = product.workerAgents().getFirst().pid();
        signal("STOP", workerAgent);
        try (Wire spawning = product.dial()) {
            spawning.send("{\"action\":\"spawn\",\"task_id\":\"early\"," + "\"agent_config\":{\"name\":\"shell\"}}");
            Await.until(
                    "the spawn is there",
                    () -> !product.ask("{\"action\":\"status\",\"id\":\"early\"}")
                            .has("code"));
            Run run = product.brig("--json", "attach", "early");
            assertEquals(3, run.exitCode(), run::err);
            assertEquals("SESSION_NOT_READY", run.json().text("code"));
            assertTrue(run.json().number("retry_after_seconds", 0) > 0, run::out);
            signal("CONT", workerAgent);
            assertEquals("spawned", spawning.message().text("status"));
        } finally {
            signal("CONT", workerAgent);
        }
        assertEquals(0, product.brig("terminate", "early").exitCode());
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                        .start()
                        .waitFor());
    }

    @Test
    void shouldRefuseAsJsonWhenAsked() throws IOException {
        Run run = product.brig("--json", "run", "nobody", "--", "x");
        assertEquals(REFUSED, run.exitCode());
        assertEquals("UNKNOWN_AGENT", run.json().text("code"));
        assertEquals("", run.err());
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"run", "attach", "fly", "run --colour shell", "sessions extra", "attach --from x some"})
    void shouldExitWithTwoWhenUsedWrongly(String line) throws IOException {
        Run run = product.brig(line.split(" ", -1));
        assertEquals(2, run.exitCode(), run::err);
        assertFalse(run.err().isEmpty());
        assertEquals("", run.out());
    }

    @Test
    void shouldPrintTokenThatOpensHttpWhenAsked() throws IOException {
        String token = product.brig("token").out().strip();
        assertEquals(200, product.web().with(token).get("/api/v1/spawns").status());
    }

    @Test
    void shouldSayWhatIsEnforcedWhenDoctorIsAsked() throws IOException {
        Run run = product.brig("--json", "doctor");
        assertFalse(run.json().objects("findings").isEmpty());
    }

    @Test
    @Tag("slow")
    void shouldNameTheFolderAndTheSettingWhenWorkspacesCannotBeMade() throws IOException {
        try (Product alone = Product.prepare(Map.of("worker", Map.of("workspaceBases", List.of("/proc/brig"))))) {
            Run run = alone.brig("run", "shell", "--", "echo x");
            assertEquals(REFUSED, run.exitCode());
            assertTrue(
                    run.err()
                            .endsWith("brig: the worker-agent does not start: cannot make a folder of"
                                    + " worker.workspaceBases or worker.scratchBases, name others in brig.json:"
                                    + " /proc/brig: there is no such file (WORKER_AGENT_UNAVAILABLE)\n"),
                    run::err);
        }
    }

    @Test
    @Tag("slow")
    void shouldStartGatewayOfItsOwnWhenNoneRuns() throws IOException {
        try (Product alone = Product.prepare(Map.of())) {
            Run run = alone.brig("run", "shell", "--", "echo alone; exit 7");
            assertEquals(7, run.exitCode(), run::err);
            assertEquals("alone\n", run.out());
            Run refused = alone.brig("sessions");
            assertEquals(REFUSED, refused.exitCode());
            assertTrue(refused.err().contains("brig serve"), refused::err);
        }
    }
}
