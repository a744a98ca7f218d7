package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.spawn.WallKind;
import brig.protocol.wire.FrameType;
import brig.workeragent.image.TestImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions with servers beside their agent. */
@Timeout(240)
@Tag("slow")
class ServicesTest {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
    private static final Path RUNSC = Path.of(System.getProperty("brig.gvisor", "/none"), "usr/bin/runsc");
    private static final Path KERNEL = Path.of(System.getProperty("brig.vm", "/none"));
    private static final Path QEMU = Path.of("/usr/bin/qemu-system-x86_64");

    /** Says back whatever it hears, on the port that the agent may know and on one that it may not. */
    private static final String ECHO = """
            use IO::Socket::INET; $SIG{CHLD} = 'IGNORE'; $| = 1;
            for my $port (5000, 5001) {
                my $all = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 300) or die;
                next if $port == 5000 && fork;
                while (my $one = $all->accept) {
                    next if fork;
                    print $one $_ while defined($_ = <$one>);
                    exit;
                }
            }
            """;

    /** Sends a file, ends its own half, and keeps what comes back. */
    private static final String CLIENT = """
            use IO::Socket::INET;
            my $there = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die "refused\n";
            open(my $from, '<', $ARGV[1]); open(my $to, '>', $ARGV[2]);
            if (!fork) { print $there $_ while defined($_ = <$from>); $there->flush; $there->shutdown(1); exit; }
            print $to $_ while defined($_ = <$there>);
            """;

    private static AgentFixture fixture;
    private static TestGateway control;

    @BeforeAll
    static void open() throws IOException {
        fixture = new AgentFixture();
        String more = "";
        if (isHere(WallKind.GVISOR)) {
            more += "\"runsc\": \"" + RUNSC + "\", ";
        }
        if (isHere(WallKind.VM)) {
            // A folder of its own: an image in it is of one installation.
            Path folder = Files.createDirectory(fixture.root.resolve("vm"));
            for (String part : List.of("vmlinux", "initrd")) {
                Files.createSymbolicLink(folder.resolve(part), KERNEL.resolve(part));
            }
            more += "\"vm\": {\"folder\": \"" + folder + "\"}, ";
        }
        Files.writeString(
                fixture.config, Files.readString(fixture.config).replace("\"agentDirs\"", more + "\"agentDirs\""));
        fixture.open();
        control = fixture.control();
    }

    private static boolean isHere(WallKind kind) {
        return switch (kind) {
            case BWRAP -> true;
            case GVISOR -> Files.isExecutable(RUNSC);
            case VM -> Files.isExecutable(QEMU) && Files.exists(KERNEL.resolve("initrd"));
        };
    }

    @AfterAll
    static void close() throws IOException {
        control.close();
        fixture.close();
    }

    private static void writeAgent(String name, String root, Map<String, ?> services) throws IOException {
        Files.write(
                fixture.root.resolve("agents/" + name + ".json"),
                Json.write(Map.of(
                        "description",
                        "bash",
                        "command",
                        List.of("/bin/bash", "-c", "eval -- \"$(<{messageFile})\""),
                        "root",
                        root,
                        "services",
                        services)));
    }

    /** Called for each frame with the folder of the session. */
    private interface Watcher {
        void handle(Path workspace, TestGateway.Frame frame) throws IOException;
    }

    /** What a session of one message wrote, with its errors and sub-agents, a line for each frame; or its refusal. */
    private static String run(String agent, Map<String, ?> where, String script, Watcher watcher) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> request = new LinkedHashMap<>(where);
        request.putAll(Map.of("agent_config", Map.of("name", agent), "prompt", script, "once", true));
        Map<String, Object> answer = fixture.ask(control, id, request);
        if (!answer.containsKey("ok")) {
            assertEquals(List.of(), AgentFixture.processesWith(id), "nothing of the session is left");
            return answer.get("code") + ": " + answer.get("error");
        }
        Path workspace = Path.of(String.valueOf(((Map<?, ?>) answer.get("ok")).get("workspace")));
        StringBuilder said = new StringBuilder();
        try (TestGateway reader = fixture.frames(id, 1)) {
            reader.read(frame -> {
                switch (frame.type()) {
                    case CHUNK -> said.append(frame.text("agent")).append(' ').append(frame.text("content"));
                    case SUBAGENT ->
                        said.append(frame.text("agent_id")).append(" is ").append(frame.text("status") + "\n");
                    case ERROR -> said.append(frame.text("code") + " " + frame.text("error") + "\n");
                    default -> {}
                }
                try {
                    watcher.handle(workspace, frame);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                return !frame.text("state").equals("terminated");
            });
        }
        assertEquals(List.of(), AgentFixture.processesWith(id), "nothing of the session is left");
        return said.toString();
    }

    private static String run(String agent, String script) throws IOException {
        return run(agent, Map.of(), script, (workspace, frame) -> {});
    }

    @Test
    void shouldNameServiceAndItsLastLinesWhenItIsNotHealthy() throws IOException {
        writeAgent(
                "ends",
                "host",
                Map.of(
                        "first",
                        Map.of(
                                "command",
                                List.of("/bin/bash", "-c", "echo the disk is missing >&2; exit 3"),
                                "ports",
                                List.of(5000))));
        String said = run("ends", "echo not run");
        assertTrue(
                said.startsWith("SERVICE_FAILED: the service 'first' ended with exit code 3 before it could be used"),
                said);
        assertTrue(said.contains("the disk is missing"), said);

        writeAgent(
                "silent",
                "host",
                Map.of(
                        "slow",
                        Map.of("command", List.of("/bin/sleep", "1000"), "ports", List.of(5000), "startMs", 300L)));
        said = run("silent", "echo not run");
        assertTrue(said.startsWith("SERVICE_FAILED: the service 'slow' could not be used after 300 ms"), said);
        assertTrue(said.endsWith("it wrote nothing"), said);

        writeAgent(
                "unknown",
                "host",
                Map.of("db", Map.of("command", List.of("/bin/true"), "ports", List.of(5000), "root", "oci:none")));
        assertTrue(run("unknown", "echo not run").startsWith("UNKNOWN_IMAGE"));
    }

    @Test
    void shouldTellOfServiceThatEndsBeforeItsAgent() throws IOException {
        writeAgent(
                "left",
                "host",
                Map.of(
                        "worker",
                        Map.of(
                                "command",
                                List.of(
                                        "/bin/bash",
                                        "-c",
                                        "until [ -e /workspace/stop ]; do sleep 0.1; done; (echo x > /workspace/y) 2> /dev/null && echo wrote; echo bye; exit 3"),
                                "ports",
                                List.of(5000),
                                "health",
                                List.of("/bin/bash", "-c", "echo looked"))));
        String said = run(
                "left",
                Map.of(),
                "touch /workspace/stop; until [ -e /workspace/go ]; do sleep 0.1; done; echo agent was last",
                (workspace, frame) -> {
                    if (frame.type() == FrameType.ERROR) {
                        Files.writeString(workspace.resolve("go"), "");
                    }
                });
        assertTrue(said.startsWith("service:worker is running\n"), said);
        assertTrue(said.contains("service:worker bye\n"), said);
        assertTrue(said.contains("SERVICE_FAILED the service 'worker' ended with exit code 3"), said);
        assertTrue(said.contains("service:worker is failed\n"), said);
        assertTrue(said.endsWith("agent was last\n"), said);
        assertFalse(said.contains("wrote\n") || said.contains("looked"), said);
    }

    @ParameterizedTest
    @EnumSource(WallKind.class)
    void shouldLeadToNamedPortsAndNothingElse(WallKind kind) throws IOException {
        assumeTrue(isHere(kind), "the build found no gVisor, or no QEMU and kernel");
        writeAgent(
                "echo",
                "host",
                Map.of(
                        "echo",
                        Map.of(
                                "command",
                                List.of("/usr/bin/perl", "-e", ECHO),
                                "ports",
                                List.of(5000),
                                "startMs",
                                60_000L)));
        String said = run(
                "echo",
                Map.of("wall", kind.word()),
                "cat > /tmp/client <<'END'\n" + CLIENT + "END\n" + """
                        seq 1 200000 > /tmp/sent
                        for i in 1 2 3; do
                            perl /tmp/client 5000 /tmp/sent /tmp/back-$i && cmp /tmp/sent /tmp/back-$i && echo all $i &
                        done
                        wait
                        perl /tmp/client 5001 /tmp/sent /tmp/back 2>&1; [ -s /tmp/back ] || echo nothing
                        pgrep perl || echo alone
                        """,
                (workspace, frame) -> {});
        for (String line : List.of("all 1\n", "all 2\n", "all 3\n", "refused\n", "nothing\n", "alone\n")) {
            assertTrue(said.contains(line), said);
        }
        assertTrue(said.endsWith("service:echo is completed\n"), said);
    }

    /** Where Postgres is: unpacked for tests, or installed. */
    private static Optional<Path> postgres() throws IOException {
        for (String root : List.of(System.getProperty("brig.postgres", "/none"), "/")) {
            Path versions = Path.of(root, "usr/lib/postgresql");
            if (Files.isDirectory(versions)) {
                try (Stream<Path> found = Files.list(versions)) {
                    Optional<Path> version = found.filter(each -> Files.exists(each.resolve("bin/initdb")))
                            .findFirst();
                    if (version.isPresent()) {
                        return Optional.of(Path.of(root));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** An image with Postgres and a shell, all of this host's distribution. */
    private static Path imageOf(Path root) throws IOException {
        Path version;
        try (Stream<Path> versions = Files.list(root.resolve("usr/lib/postgresql"))) {
            version = versions.findFirst().orElseThrow();
        }
        Set<Path> files = new LinkedHashSet<>();
        for (String program : List.of("/bin/bash", "/bin/sh", "/bin/cat", "/bin/sleep")) {
            files.add(Path.of(program));
        }
        for (String program : List.of("postgres", "initdb", "psql", "pg_isready")) {
            files.add(version.resolve("bin/" + program));
        }
        for (String library : List.of("plpgsql.so", "dict_snowball.so")) {
            files.add(version.resolve("lib/" + library));
        }
        try (Stream<Path> shared =
                Files.walk(root.resolve("usr/share/postgresql").resolve(version.getFileName()))) {
            shared.filter(Files::isRegularFile).forEach(files::add);
        }
        Path libraries =
                root.resolve("usr/lib/" + System.getProperty("os.arch").replace("amd64", "x86_64") + "-linux-gnu");
        for (Path program : List.copyOf(files)) {
            if (Files.isExecutable(program) || program.toString().endsWith(".so")) {
                ProcessBuilder ldd = new ProcessBuilder("ldd", program.toString()).redirectErrorStream(true);
                ldd.environment().put("LD_LIBRARY_PATH", libraries.toString());
                Matcher library = LIBRARY.matcher(
                        new String(ldd.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                while (library.find()) {
                    files.add(Path.of(library.group(1)));
                }
            }
        }
        TestImage image = new TestImage();
        for (Path file : files) {
            String inside = "/"
                    + (file.startsWith(root)
                            ? root.relativize(file)
                            : Path.of("/").relativize(file));
            // What was found beside unpacked programs is where the loader of the image looks.
            image.file(inside.substring(1), Files.readAllBytes(file), Files.isExecutable(file) ? 0755 : 0644);
        }
        Path layout = Files.createDirectory(fixture.root.resolve("postgres"));
        image.write(layout);
        Map<String, Object> pulled = control.ask(new String(
                Json.write(Map.of("id", 1, "op", "pull_image", "from", layout.toString(), "name", "postgres")),
                StandardCharsets.UTF_8));
        assertTrue(pulled.containsKey("ok"), pulled::toString);
        return version;
    }

    @Test
    void shouldRunTestsOfProjectWithPostgresBesideIt() throws IOException {
        Optional<Path> installed = postgres();
        assumeTrue(installed.isPresent(), "no Postgres: apt has none to download");
        Path root = installed.get();
        Path version = imageOf(root);
        String bin = "/" + root.relativize(version.resolve("bin"));
        writeAgent(
                "project",
                "oci:postgres",
                Map.of(
                        "postgres",
                        Map.of(
                                "command",
                                List.of(
                                        "/bin/bash",
                                        "-c",
                                        "initdb -D /tmp/data -U worker --auth=trust --locale=C -E UTF8"
                                                + " && exec postgres -D /tmp/data -c listen_addresses=127.0.0.1 -k /tmp"),
                                "env",
                                Map.of("PATH", bin + ":/usr/bin:/bin"),
                                "ports",
                                List.of(5432),
                                "health",
                                List.of("pg_isready", "-h", "127.0.0.1"),
                                "startMs",
                                120_000L)));
        String tests = """
                db() { %s/psql -qAtX -v ON_ERROR_STOP=1 -h 127.0.0.1 -U worker -d postgres -c "$1"; }
                db 'create table ships (name text)' && db "insert into ships values ('brig'), ('sloop')" &&
                [ "$(db 'select count(*) from ships')" = 2 ] && echo "2 tests passed, as $(db 'select current_user')"
                """.formatted(bin);
        String said = run("project", tests);
        assertTrue(said.contains("2 tests passed, as worker"), said);
        assertTrue(said.startsWith("service:postgres is running\n"), said);
        assertTrue(said.contains("service:postgres ") && said.contains("database system is ready"), said);
        assertTrue(said.endsWith("service:postgres is completed\n"), said);

        assumeTrue(isHere(WallKind.GVISOR), "no gVisor");
        said = run("project", Map.of("wall", "gvisor"), tests, (workspace, frame) -> {});
        assertTrue(said.contains("2 tests passed, as worker"), said);
    }
}
