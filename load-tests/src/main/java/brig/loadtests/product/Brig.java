package brig.loadtests.product;

import brig.loadtests.engine.Children;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The installed product in folders of its own, for one scenario. {@link #prepare} creates its process, {@link #launch}
 * lets it run: in between a load generator can begin to act as its worker-agent.
 */
public final class Brig implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\\s+http\\s+http://127\\.0\\.0\\.1:(\\d+) .*");
    private static final long STOP_SECONDS = 20;

    private final Path folder;
    private final Path log;
    private final ProcessBuilder command;
    private Process process;
    private int port;

    private Brig(Path folder, Path log, ProcessBuilder command) throws IOException {
        this.folder = folder;
        this.log = log;
        this.command = command;
        this.process = Children.start(command);
    }

    /**
     * Non-default ways to start it.
     *
     * @param home the folder of the product
     * @param prefix the command that runs its program
     */
    public record Launch(Path home, ServeSettings settings, List<String> prefix, JvmOptions options) {
        public static final Launch PLAIN = with(ServeSettings.DEFAULTS);

        public static Launch with(ServeSettings settings) {
            return new Launch(Brig.home(), settings, List.of(), JvmOptions.NONE);
        }
    }

    /** Starts it and waits until it is up; a failure is thrown with its output. */
    public static Brig start() throws IOException {
        return prepare(newFolder(), Launch.PLAIN).launch();
    }

    /** As above, with the test's agents by name. */
    public static Brig start(Map<String, AgentFile> agents) throws IOException {
        return start(agents, ServeSettings.DEFAULTS);
    }

    /** As above, with settings. */
    public static Brig start(Map<String, AgentFile> agents, ServeSettings settings) throws IOException {
        return start(
                agents, new Launch(home(), settings, List.of(), JvmOptions.NONE.gateway(JvmOptions.WHOLE_COLLECTIONS)));
    }

    /** As above, in that way. */
    public static Brig start(Map<String, AgentFile> agents, Launch launch) throws IOException {
        return start(agents, Map.of(), launch);
    }

    /**
     * As above, with files of agents.
     *
     * @param files by their path below the folder of profiles; those of {@code NAME/} are shown to the agent NAME
     */
    public static Brig start(Map<String, AgentFile> agents, Map<String, String> files, Launch launch)
            throws IOException {
        Path folder = newFolder();
        Path agentDir = Files.createDirectory(folder.resolve("agents"));
        for (Map.Entry<String, AgentFile> agent : agents.entrySet()) {
            agent.getValue().write(agentDir, agent.getKey());
        }
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = agentDir.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        ServeSettings settings = launch.settings().withAgents(agentDir);
        return prepare(folder, new Launch(launch.home(), settings, launch.prefix(), launch.options()))
                .launch();
    }

    /** A folder for all its files, traversable for workers. */
    public static Path newFolder() throws IOException {
        Path folder = Files.createTempDirectory("brig-load-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        return folder;
    }

    /** The process, which waits for {@link #launch}. */
    public static Brig prepare(Path folder, Launch launch) throws IOException {
        Path config = folder.resolve("brig.json");
        Files.write(config, Json.write(launch.settings().in(folder)));
        Path log = folder.resolve("serve.log");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "read -r go && exec \"$@\"", "brig"));
        command.addAll(launch.prefix());
        command.addAll(List.of(program(launch.home()).toString(), "serve", "--config", config.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().putAll(launch.options().environment(System.getenv()));
        return new Brig(folder, log, builder);
    }

    /** The folder of recorded streams, with a folder for each. */
    public Path streams() {
        return folder.resolve("state/streams");
    }

    /** Where the program of that product should be. */
    public static Path program(Path home) {
        return home.resolve("bin/brig");
    }

    /** The folder of the product: this program's own, or the build's. */
    public static Path home() {
        return Path.of(System.getProperty("brig.home", "build/brig")).toAbsolutePath();
    }

    /** Lets it run and waits until it is up; a failure is thrown with its output. */
    public Brig launch() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        for (; line != null && !line.contains("try next"); line = out.readLine()) {
            Matcher found = PORT.matcher(line);
            port = found.matches() ? Integer.parseInt(found.group(1)) : port;
        }
        if (port == 0) {
            String words = Files.readString(log);
            close();
            throw new IOException("the gateway did not come up: " + words);
        }
        return this;
    }

    /** Kills it and starts it again in its folders; its worker-agent and all workers survive. */
    public void restart() throws IOException {
        process.destroyForcibly();
        startAgain();
    }

    /** Stops it as an operator does, which ends its workers, and starts it again in its folders. */
    public void stop() throws IOException {
        process.destroy();
        startAgain();
    }

    private void startAgain() throws IOException {
        awaitExit();
        process = Children.start(command);
        port = 0;
        launch();
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    /** Its worker-agents: one, or none. */
    public List<ProcessHandle> workerAgents() {
        String runtime = folder + "/run";
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    List<String> arguments = arguments(process);
                    return arguments.contains("--runtime-dir") && arguments.contains(runtime);
                })
                .toList();
    }

    private static List<String> arguments(ProcessHandle process) {
        try {
            return List.of(Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .split("\0", -1));
        } catch (IOException gone) {
            return List.of();
        }
    }

    /** The socket of its worker-agent. */
    public String linkSocket() {
        return folder.resolve("run/w/link.sock").toString();
    }

    /** Its spawner socket. */
    public Path spawnerSocket() {
        return folder.resolve("spawner.sock");
    }

    /** Its Unix socket for HTTP. */
    public Path httpSocket() {
        return folder.resolve("run/http.sock");
    }

    public String adminToken() throws IOException {
        // As the gateway sees it, which may have mounts of its own.
        return Files.readString(Path.of("/proc/" + process.pid() + "/root" + folder.resolve("state/admin.token")))
                .strip();
    }

    /** Resident memory of the gateway, in bytes. */
    public long residentBytes() throws IOException {
        return residentBytes(process.pid());
    }

    /** Resident memory of a process, in bytes. */
    public static long residentBytes(long pid) throws IOException {
        String line = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(field -> field.startsWith("VmRSS:"))
                .findFirst()
                .orElse("0");
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }

    /** Used bytes of the gateway's heap, including garbage, from {@code jcmd}. */
    public long heapBytes() throws IOException {
        Matcher used = Pattern.compile("total \\d+K, used (\\d+)K").matcher(jcmd("GC.heap_info"));
        long bytes = 0;
        while (used.find()) {
            bytes += Long.parseLong(used.group(1)) * 1024;
        }
        return bytes;
    }

    /** Bytes of reachable objects in the gateway's heap, counted after a full collection. */
    public long liveHeapBytes() throws IOException {
        Matcher total = Pattern.compile("(?m)^Total +\\d+ +(\\d+)").matcher(jcmd("GC.class_histogram"));
        if (!total.find()) {
            throw new IOException("jcmd shows no histogram of the gateway's heap");
        }
        return Long.parseLong(total.group(1));
    }

    /** Collects its whole heap. */
    public void collectHeap() throws IOException {
        jcmd("GC.run");
    }

    private String jcmd(String command) throws IOException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/jcmd").toString(),
                        String.valueOf(process.pid()),
                        command)
                .redirectErrorStream(true)
                .start();
        return new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Stops it as an operator does, which ends its worker-agent, and deletes the folders. */
    @Override
    public void close() throws IOException {
        process.destroy();
        end();
    }

    /** Kills it, for a simulated worker-agent, and deletes the folders. */
    public void kill() throws IOException {
        process.destroyForcibly();
        end();
    }

    private void end() throws IOException {
        awaitExit();
        delete(folder);
    }

    private void awaitExit() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes a folder recursively. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
