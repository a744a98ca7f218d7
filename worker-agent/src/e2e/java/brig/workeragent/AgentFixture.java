package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import brig.workeragent.worker.SystemTimers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A worker-agent with a wall and folders of its own; the folders above the wall are open to the worker's
 * user.
 */
final class AgentFixture implements AutoCloseable {
    final Path root;
    final Path home = Path.of(System.getProperty("brig.home", ".."));
    final Path config;
    WorkerAgent agent;

    AgentFixture() throws IOException {
        this("");
    }

    /** @param limitsLevel who has to hold the limits; empty for the best of this host */
    AgentFixture(String limitsLevel) throws IOException {
        this(limitsLevel, Map.of());
    }

    /** @param egress keys of {@code worker.egress} */
    AgentFixture(String limitsLevel, Map<String, ?> egress) throws IOException {
        root = TestFolders.create("brig");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path agents = Files.createDirectory(root.resolve("agents"));
        Files.writeString(agents.resolve("lines.json"), """
                {"description": "cat", "command": ["/bin/cat"], "adapter": "text", "process": "spawn", "stdin": "lines"}
                """);
        Files.writeString(agents.resolve("missing.json"), """
                {"description": "no such program", "command": ["no-such-program"], "process": "spawn"}
                """);
        Files.writeString(agents.resolve("broken.json"), """
                {"description": "a key too many", "command": ["/bin/true"], "colour": "red"}
                """);
        Files.writeString(agents.resolve("bash-lines.json"), """
                {"description": "bash", "command": ["/bin/bash"], "process": "spawn", "stdin": "lines"}
                """);
        Files.createDirectory(root.resolve("policies"));
        config = root.resolve("brig.json");
        Files.writeString(config, """
                {"stateDir": "%s", "worker": {"agentDirs": ["", "%s"], "policyDirs": ["", "%s"], "workspaceBases": ["%s"],
                "policies": ["review", "build", "nested", "test"], "termGraceMs": 300, "stdinGraceMs": 100,
                "limitsLevel": "%s", "egress": %s}}
                """.formatted(
                        root.resolve("state"),
                        agents,
                        root.resolve("policies"),
                        root.resolve("workspaces"),
                        limitsLevel,
                        new String(Json.write(egress), UTF_8)));
    }

    /** A JVM as the product's, up to the name of the class; the class path begins as the product's, so its archive fits. */
    static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-XX:TieredStopAtLevel=1",
                "-XX:AOTCache=" + Path.of(System.getProperty("brig.home", ".."), "lib/worker-agent.aot"),
                "-Xlog:aot=off",
                "-Xlog:cds=off",
                "-Dbrig.native=" + System.getProperty("brig.native"),
                "-cp",
                System.getProperty("java.class.path"));
    }

    CommandLine options() {
        return new CommandLine(
                config,
                home.toAbsolutePath().normalize(),
                root.resolve("run"),
                null,
                null,
                false,
                30_000,
                JsonObject.EMPTY);
    }

    AgentFixture open() throws IOException {
        return open(Map.of());
    }

    AgentFixture open(Map<String, String> environment) throws IOException {
        agent = WorkerAgent.open(Installation.read(options(), environment, Installation.isRoot()), new SystemTimers());
        return this;
    }

    Path linkSocket() {
        return root.resolve("run/w/link.sock");
    }

    TestGateway control() throws IOException {
        return new TestGateway(linkSocket()).opened("{\"link\":\"control\"}");
    }

    /** Asks for a worker and answers with its id. */
    String spawn(TestGateway control, String agentName, String prompt) throws IOException {
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Map<String, Object> answer = control.ask(spawnRequest(id, agentName, prompt));
        if (!answer.containsKey("ok")) {
            throw new AssertionError(answer);
        }
        return id;
    }

    /** Makes a policy of that name, with these keys over those of the shipped "build". */
    void writePolicy(String name, Map<String, ?> over) throws IOException {
        Map<String, Object> build = Json.parseCommented(Files.readString(home.resolve("config/policies/build.json")));
        Map<String, Object> values = new LinkedHashMap<>(build);
        values.putAll(over);
        Files.write(root.resolve("policies/" + name + ".json"), Json.write(values));
    }

    /** What a shell in that kind of workspace said, both pipes, until the spawn is over. */
    String runToEnd(TestGateway control, String id, Map<String, ?> where, String prompt) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>(where);
        request.putAll(Map.of("agent_config", Map.of("name", "shell"), "prompt", prompt, "once", true));
        Map<String, Object> answer = ask(control, id, request);
        if (!answer.containsKey("ok")) {
            return String.valueOf(answer);
        }
        StringBuilder said = new StringBuilder();
        try (TestGateway frames = frames(id, 1)) {
            frames.read(frame -> {
                if (frame.type() == FrameType.CHUNK) {
                    said.append(frame.text("content"));
                }
                return !frame.text("state").equals("terminated");
            });
        }
        return said.toString();
    }

    /** Asks for a shell with that policy, and answers as a control connection does. */
    Map<String, Object> askForShell(TestGateway control, String id, String policy, String prompt) throws IOException {
        return ask(control, id, Map.of("agent_config", Map.of("name", "shell"), "policy", policy, "prompt", prompt));
    }

    /** Asks for a spawn, and answers as a control connection does. */
    Map<String, Object> ask(TestGateway control, String id, Map<String, ?> request) throws IOException {
        return control.ask(
                new String(Json.write(Map.of("id", 1, "op", "spawn", "spawn_id", id, "request", request)), UTF_8));
    }

    static String spawnRequest(String id, String agentName, String prompt) {
        String asked =
                prompt == null ? "null" : "\"" + prompt.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
        return "{\"id\":1,\"op\":\"spawn\",\"spawn_id\":\"" + id + "\",\"request\":{\"agent_config\":{\"name\":\""
                + agentName + "\"},\"prompt\":" + asked + "}}";
    }

    /** The frames of a worker from that number on. */
    TestGateway frames(String spawnId, long resume) throws IOException {
        return new TestGateway(linkSocket())
                .opened("{\"link\":\"worker\",\"spawn_id\":\"" + spawnId + "\",\"resume\":" + resume + "}");
    }

    /** What lies in the folder of the sockets. */
    List<String> socketFolder() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("run/w"))) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    /** Pids of processes of the host whose command line holds that text. */
    static List<Long> processesWith(String text) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> {
                    try {
                        return new String(Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")), UTF_8)
                                .contains(text);
                    } catch (IOException gone) {
                        return false;
                    }
                })
                .toList();
    }

    /** The brig-egress of this worker-agent; others may run on this host, and in this process. */
    List<Long> egressProcesses() {
        List<Long> all = processesWith("brig.egress.process.EgressMain");
        List<Long> own = processesWith(root.toString());
        // Above it is bubblewrap, twice, which has the same words, and names our folder.
        return ProcessHandle.current()
                .children()
                .filter(child -> own.contains(child.pid()))
                .flatMap(ProcessHandle::children)
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::pid)
                .filter(all::contains)
                .toList();
    }

    @Override
    public void close() throws IOException {
        if (agent != null) {
            agent.close();
        }
        TestFolders.delete(root);
    }
}
