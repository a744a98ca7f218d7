package brig.gateway.e2e;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The installed product in folders of its own: {@code brig serve} with its worker-agent, and the command
 * line. Closing ends both whatever became of them, and removes the folders.
 */
final class Product implements AutoCloseable {
    static final String BRIG = Path.of(System.getProperty("brig.product", "build/brig"), "bin/brig")
            .toAbsolutePath()
            .toString();
    private static final Pattern URL = Pattern.compile("\\s+http\\s+(http://\\S+) .*");
    /** Above what the stopping ladder of a worker takes. */
    private static final long STOP_SECONDS = 20;

    private final Path folder;
    private final Path config;
    private final Thread atExit = new Thread(this::abandon);
    private List<String> around = List.of();
    private List<String> options = List.of();
    private Process serve;
    private String url = "";

    private Product(Map<String, ?> settings) throws IOException {
        folder = Files.createTempDirectory("brig-e2e-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectory(agents());
        config = folder.resolve("brig.json");
        Files.write(config, Json.write(JsonObject.of(own()).overlaid(JsonObject.of(settings))));
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    private Map<String, Object> own() {
        return new LinkedHashMap<>(Map.of(
                "stateDir", folder.resolve("state").toString(),
                "runtimeDir", runtime().toString(),
                "agentsDir", folder.resolve("io").toString(),
                "spawnerSocket", spawner().toString(),
                "http", Map.of("port", 0L),
                "worker",
                        Map.of(
                                "workspaceBases",
                                List.of(workspaces().toString()),
                                "scratchBases",
                                List.of(scratch().toString()),
                                "agentDirs",
                                List.of("", agents().toString()))));
    }

    /** Folders and configuration, with those settings laid over the test's own; nothing runs yet. */
    static Product prepare(Map<String, ?> settings) throws IOException {
        return new Product(settings);
    }

    static Product start(Map<String, ?> settings) throws IOException {
        Product product = prepare(settings);
        try {
            product.serve();
            return product;
        } catch (IOException | RuntimeException | AssertionError e) {
            product.close();
            throw e;
        }
    }

    /** What a gateway with those settings says instead of starting. */
    static String refusal(Map<String, ?> settings) throws IOException {
        try (Product refused = prepare(settings)) {
            try {
                refused.serve();
                return "it started";
            } catch (AssertionError said) {
                return String.valueOf(said.getMessage());
            }
        }
    }

    static Product start() throws IOException {
        return start(Map.of());
    }

    static boolean isRoot() throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    static void requireRoot(String what) throws IOException {
        Assumptions.assumeTrue(isRoot(), what + " needs root");
    }

    /** Runs a shell command in a mount namespace of its own, and {@code brig serve} there. */
    Product inMountNamespace(String command) {
        around = List.of("unshare", "-m", "sh", "-ec", command + "; exec \"$@\"", "sh");
        return this;
    }

    /** {@code brig serve} as a user who owns the folders, and nothing else. */
    Product asUser(int uid) throws IOException {
        String id = String.valueOf(uid);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", uid);
            }
        }
        around = List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--", "env", "HOME=" + folder);
        return this;
    }

    /** {@code brig serve} with a worker-agent that somebody else starts, with sockets in that folder. */
    Product withWorkerAgent(Path runtimeFolder) {
        options = List.of("--worker-agent", runtimeFolder.toString());
        return this;
    }

    /** {@code brig serve} with one more variable, {@code NAME=value}. */
    Product with(String variable) {
        around = List.of("env", variable);
        return this;
    }

    /** Lets those shipped profiles be models for clients of OpenAI's API, which programs that are no agents are not. */
    Product offering(String... profiles) throws IOException {
        for (String profile : profiles) {
            addProfile(profile, profile, Map.of("asModel", true));
        }
        return this;
    }

    /** Adds a profile of its own: a shipped one with other values. */
    void addProfile(String name, String shipped, Map<String, ?> values) throws IOException {
        Path file = Path.of(BRIG).resolveSibling("../config/agents/" + shipped + ".json");
        Map<String, Object> all = new LinkedHashMap<>(Json.parseCommented(Files.readString(file)));
        all.putAll(values);
        Files.write(agents().resolve(name + ".json"), Json.write(all));
    }

    /** Starts the gateway and waits until it says that it is up. */
    void serve() throws IOException {
        List<String> command = new ArrayList<>(around);
        command.addAll(List.of(BRIG, "serve", "--config", config.toString()));
        command.addAll(options);
        serve = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        BufferedReader out = new BufferedReader(new InputStreamReader(serve.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        for (; line != null && !line.contains("try next"); line = out.readLine()) {
            Matcher found = URL.matcher(line);
            url = found.matches() ? found.group(1) : url;
        }
        if (url.isEmpty()) {
            throw new AssertionError("the gateway did not come up: " + Files.readString(log()));
        }
    }

    /** Ends the gateway as an operator does. */
    void stop() {
        serve.destroy();
        awaitEnd();
    }

    /** Ends the gateway with SIGKILL; its worker-agent lives on. */
    void kill() {
        serve.destroyForcibly();
        awaitEnd();
        url = "";
    }

    /** Has the gateway listen at the same port when it is started again, so that pages find it. */
    void keepPort() throws IOException {
        String given = Files.readString(config);
        Files.writeString(
                config,
                given.replace("\"port\":0", "\"port\":" + URI.create(url).getPort()));
    }

    private void awaitEnd() {
        try {
            if (!serve.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                serve.destroyForcibly().waitFor();
                throw new AssertionError("the gateway did not end in " + STOP_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts a worker-agent that the gateway does not know of, with sockets in another folder. */
    Process startWorkerAgent(Path runtimeFolder) throws IOException {
        return new ProcessBuilder(
                        BRIG, "worker-agent", "--runtime-dir", runtimeFolder.toString(), "--config", config.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("worker-agent.log").toFile()))
                .start();
    }

    /** The variables with options for JVMs that live as long as a test, {@code NAME=value}, for programs that get no others. */
    static List<String> javaOptions() {
        return Stream.of("BRIG_JAVA_OPTS", "BRIG_WORKER_AGENT_JAVA_OPTS", "BRIG_EGRESS_JAVA_OPTS")
                .filter(name -> System.getenv(name) != null)
                .map(name -> name + "=" + System.getenv(name))
                .toList();
    }

    /** The worker-agents of this runtime folder: one, or none. */
    List<ProcessHandle> workerAgents() {
        return Processes.with("--runtime-dir", runtime().toString());
    }

    private void end() {
        if (serve != null) {
            serve.destroy();
            try {
                serve.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            serve.destroyForcibly();
        }
        workerAgents().forEach(ProcessHandle::destroyForcibly);
    }

    /** For a test that did not come to {@link #close}. */
    private void abandon() {
        end();
        TestFolders.deleteLeft(folder);
    }

    @Override
    public void close() throws IOException {
        end();
        Await.until("the worker-agent is gone", () -> workerAgents().isEmpty());
        TestFolders.delete(folder);
        Runtime.getRuntime().removeShutdownHook(atExit);
    }

    /** Runs a command of the command line against this product. */
    Run brig(String... arguments) throws IOException {
        return brigWith("", arguments);
    }

    /** The same with a text on standard input. */
    Run brigWith(String input, String... arguments) throws IOException {
        return Run.of(command(arguments), input, folder);
    }

    /** Runs one of the programs beside the command line, which know nothing of this product's configuration. */
    Run program(String... arguments) throws IOException {
        return program(Await.DEADLINE_SECONDS, arguments);
    }

    Run program(long secondsMax, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(BRIG));
        command.addAll(List.of(arguments));
        return Run.of(command, "", folder, secondsMax);
    }

    List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(BRIG, "--config", config.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A connection to the spawner socket. */
    Wire dial() throws IOException {
        return Wire.unix(spawner());
    }

    /** One request on the spawner socket, and its answer. */
    JsonObject ask(String request) throws IOException {
        try (Wire wire = dial()) {
            wire.send(request);
            return wire.message();
        }
    }

    Spawned spawn(String agent, String prompt, boolean once) throws IOException {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("action", "spawn");
        request.put("agent_config", Map.of("name", agent));
        request.put("prompt", prompt);
        request.put("once", once);
        return new Spawned(this, ask(new String(Json.write(request), StandardCharsets.UTF_8)));
    }

    /** A shell with that task_id, which waits for messages. */
    Spawned idle(String taskId) throws IOException {
        return new Spawned(
                this,
                ask("{\"action\":\"spawn\",\"task_id\":\"" + taskId + "\","
                        + "\"agent_config\":{\"name\":\"shell\"}}"));
    }

    /** A shell that runs one message and ends. */
    Spawned shell(String prompt) throws IOException {
        return spawn("shell", prompt, true);
    }

    Web web() throws IOException {
        return new Web(url, adminToken());
    }

    String adminToken() throws IOException {
        return Files.readString(folder.resolve("state/admin.token")).strip();
    }

    Process process() {
        return serve;
    }

    String url() {
        return url;
    }

    Path config() {
        return config;
    }

    Path folder() {
        return folder;
    }

    Path log() {
        return folder.resolve("serve.log");
    }

    /** Agent profiles of the test go here. */
    Path agents() {
        return folder.resolve("profiles");
    }

    Path workspaces() {
        return folder.resolve("work");
    }

    /** Below it folders go with their session. */
    Path scratch() {
        return folder.resolve("scratch");
    }

    Path spawner() {
        return folder.resolve("spawner.sock");
    }

    SpawnDatabase database() {
        return new SpawnDatabase(folder.resolve("state/brig.db"));
    }

    Path runtime() {
        return folder.resolve("run");
    }
}
