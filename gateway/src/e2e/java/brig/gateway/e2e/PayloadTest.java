package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The payload of the product as another account has it: what is in it, and what {@code brig-host} does there. */
@Timeout(120)
class PayloadTest {
    private static final String SPAWN = "spn_000000000000000000000001";
    private static final Pattern FOREIGN = Pattern.compile(
            "gateway|cli|vertx|picocli|sqlite|micrometer|prometheus|load-tests|systemd|\\.aot|\\.jsa|token|\\.pem|\\.key");

    private static RemoteHost host;

    @BeforeAll
    static void unpack() throws IOException {
        host = new RemoteHost();
    }

    @AfterAll
    static void remove() throws IOException {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void shouldBringWorkerAgentAndRuntimeAndNothingOfGateway() throws IOException {
        List<String> names = Run.of(List.of("tar", "-tzf", Payloads.archive().toString()), "", host.folder())
                .out()
                .lines()
                .toList();
        assertTrue(host.version().matches("[0-9.]+-[0-9a-f]{16}"), host.version());
        assertTrue(names.stream().allMatch(name -> name.startsWith(host.version() + "/")), names::toString);
        List<String> own =
                names.stream().filter(name -> !name.contains("/runtime/")).toList();
        assertEquals(
                List.of(),
                own.stream().filter(name -> FOREIGN.matcher(name).find()).toList());
        for (String needed :
                List.of("bin/brig-host", "lib/mock/runtime/bin/java", "lib/native/jni/", "runtime/bin/java")) {
            assertTrue(names.contains(host.version() + "/" + needed), needed);
        }
        assertTrue(Files.size(Payloads.archive()) < 50_000_000, "bytes: " + Files.size(Payloads.archive()));
    }

    @Test
    void shouldFindThisHostFit() throws IOException {
        Run run = host.run("check");
        List<JsonObject> findings = run.out()
                .lines()
                .map(line -> JsonObject.read(line.getBytes(StandardCharsets.UTF_8)))
                .toList();
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(
                findings.stream()
                        .map(finding -> finding.text("name"))
                        .toList()
                        .containsAll(List.of(
                                "architecture", "glibc", "bubblewrap", "user namespaces", "home", "disk", "sockets")),
                run::out);
        assertEquals(
                List.of(),
                findings.stream()
                        .filter(finding -> finding.text("status").equals("failed"))
                        .filter(finding -> !finding.text("name").equals("account"))
                        .toList());
    }

    private static Wire connect(JsonObject started, String purpose) throws IOException {
        return Wire.unix(Path.of(started.text("socket"))).sendLine(purpose);
    }

    private static JsonObject read(Wire wire) throws IOException {
        return JsonObject.read(wire.line().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @Tag("slow")
    void shouldStartOneWorkerAgentThatAnswersAndEndsByItself() throws Exception {
        // Scenario: two links come up at once; later another version, which waits for a worker to end.
        Process one = host.starting(host.version());
        Process other = host.starting(host.version());
        JsonObject started = host.answerOf(one);
        assertEquals(started, host.answerOf(other));
        assertEquals(host.version(), started.text("version"));
        Path log = host.state().resolve("worker-agent.log");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(log)));

        String environment = Files.readString(Path.of("/proc/" + started.value("pid") + "/environ"));
        assertTrue(environment.contains("PATH=" + host.ownPrograms() + ":"), environment);

        String newer = host.otherVersion();
        try (Wire control = connect(started, "{\"link\":\"control\"}")) {
            control.sendLine("{\"id\":1,\"op\":\"hello\"}");
            assertEquals(started.value("pid"), read(control).object("ok").value("pid"));
            control.sendLine("{\"id\":2,\"op\":\"spawn\",\"captain\":\"tests\",\"admin\":true,\"spawn_id\":\"" + SPAWN
                    + "\",\"request\":{\"agent_config\":{\"name\":\"mock\"},\"prompt\":\"hello\"}}");
            JsonObject spawned = read(control);
            assertEquals(
                    host.state().resolve("workspaces").resolve(SPAWN).toString(),
                    spawned.object("ok").text("workspace"));
            try (Wire frames = connect(started, "{\"link\":\"worker\",\"spawn_id\":\"" + SPAWN + "\",\"resume\":1}")) {
                JsonObject frame = read(frames);
                while (!frame.text("type").equals("done")) {
                    frame = read(frames);
                }
                assertEquals(0L, frame.value("exit_code"));
                assertEquals("", frames.endOutput().rest());
            }
            assertEquals(started, host.start(newer));
            control.sendLine("{\"id\":3,\"op\":\"terminate\",\"forget\":true,\"spawn_id\":\"" + SPAWN + "\"}");
            read(control);
            Await.until("the worker is gone", () -> {
                control.sendLine("{\"id\":4,\"op\":\"list\"}");
                return read(control).object("ok").objects("workers").isEmpty();
            });
            assertEquals("", control.endOutput().rest());
        }
        JsonObject replaced = host.start(newer);
        assertEquals(newer, replaced.text("version"));
        assertEquals(started.text("socket"), replaced.text("socket"));
        assertNotEquals(started.value("pid"), replaced.value("pid"));

        assertEquals("", host.run("sweep", "--younger-m", "0").out(), "the newer one is in use");
        RemoteHost.awaitEnd((Long) replaced.value("pid"));
        Files.createDirectory(host.versions().resolve(".new-x"));
        assertEquals("", host.run("sweep").out(), "it may have been unpacked for a start");
        assertEquals(
                "{\"removed\":\"" + newer + "\"}\n",
                host.run("sweep", "--younger-m", "0").out());
        assertEquals(List.of(".new-x", host.version()), versions());
    }

    @Test
    void shouldWaitForTheEndOfOneThatListensNoMore() throws Exception {
        // Scenario: a worker-agent that nobody needs has closed its socket, and lives a moment longer.
        Path running = host.state().resolve("running");
        Process ending = new ProcessBuilder(host.as(
                        "sh",
                        "-c",
                        "mkdir -p \"${1%/*}\"; echo \"1 other ${1%/*}/none.sock\" >\"$1\"; exec flock \"$1\" sh -c 'echo held; exec cat'",
                        "sh",
                        running.toString()))
                .start();
        assertEquals("held", ending.inputReader().readLine());
        Process start = host.starting(host.version());
        Await.until(
                "it waits",
                () -> start.descendants()
                        .anyMatch(child -> child.info().commandLine().orElse("").contains("flock -w 20 " + running)));
        ending.getOutputStream().close();
        JsonObject started = host.answerOf(start);
        assertEquals(host.version(), started.text("version"));
        RemoteHost.awaitEnd((Long) started.value("pid"));
    }

    private static List<String> versions() throws IOException {
        try (Stream<Path> all = Files.list(host.versions())) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldRefuseOnOneLineWhateverItIsAsked() throws IOException {
        for (String[] words : new String[][] {
            {},
            {"\"\\\n\u0007é"},
            {"start"},
            {"start", "--gateway-id", "../../../etc\""},
            {"start", "--gateway-id", RemoteHost.GATEWAY_ID, "--idle-exit-s", "1;id"},
            {"start", "--gateway-id"},
            {"join"},
            {"join", "none"},
        }) {
            Run run = host.run(words);
            assertEquals(1, run.exitCode(), () -> run.out() + run.err());
            assertEquals(1, run.out().lines().count(), run::out);
            assertFalse(run.json().text("code").isEmpty());
            assertFalse(run.json().text("error").isEmpty());
        }
    }
}
