package brig.loadtests;

import brig.protocol.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The installed product in folders of its own, for one scenario. */
final class Brig implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\\s+http\\s+http://127\\.0\\.0\\.1:(\\d+) .*");
    private static final long STOP_SECONDS = 20;

    private final Path folder;
    private final Process process;
    private final int port;

    private Brig(Path folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /** Starts it and waits until it is up; where it does not come up its own words are thrown. */
    static Brig start() throws IOException {
        return start(Map.of());
    }

    /** The same with agents of the test's own: profiles by name, as in {@code config/agents}. */
    static Brig start(Map<String, Map<String, ?>> agents) throws IOException {
        Path folder = Files.createTempDirectory("brig-load-");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path agentDir = Files.createDirectory(folder.resolve("agents"));
        for (Map.Entry<String, Map<String, ?>> agent : agents.entrySet()) {
            Files.write(agentDir.resolve(agent.getKey() + ".json"), Json.write(agent.getValue()));
        }
        Path config = folder.resolve("brig.json");
        Files.write(config, Json.write(Map.of(
                "stateDir", folder + "/state", "runtimeDir", folder + "/run", "agentsDir", folder + "/io",
                "spawnerSocket", folder + "/spawner.sock", "http", Map.of("port", 0L),
                "worker", Map.of("workspaceBases", List.of(folder + "/work"),
                        "agentDirs", List.of("", agentDir.toString())))));
        Path log = folder.resolve("serve.log");
        String program = Path.of(System.getProperty("brig.product", "build/brig"), "bin/brig")
                .toAbsolutePath().toString();
        Process process = new ProcessBuilder(program, "serve", "--config", config.toString())
                .redirectError(log.toFile()).start();
        int port = awaitPort(process);
        Brig brig = new Brig(folder, process, port);
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        if (port == 0) {
            String words = Files.readString(log);
            brig.close();
            throw new IOException("the gateway did not come up: " + words);
        }
        return brig;
    }

    private static int awaitPort(Process process) throws IOException {
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        int port = 0;
        String line = out.readLine();
        for (; line != null && !line.contains("try next"); line = out.readLine()) {
            Matcher found = PORT.matcher(line);
            port = found.matches() ? Integer.parseInt(found.group(1)) : port;
        }
        return port;
    }

    /** Where its worker-agent takes requests. */
    String controlSocket() {
        return folder.resolve("run/w/control.sock").toString();
    }

    int port() {
        return port;
    }

    String adminToken() throws IOException {
        return Files.readString(folder.resolve("state/admin.token")).strip();
    }

    /** Memory of the gateway's process that is in RAM, in bytes. */
    long residentBytes() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(field -> field.startsWith("VmRSS:")).findFirst().orElse("0");
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }

    /** Used bytes of the gateway's heap, garbage included, as {@code jcmd} says. */
    long heapBytes() throws IOException {
        Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/jcmd").toString(),
                String.valueOf(process.pid()), "GC.heap_info").redirectErrorStream(true).start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher used = Pattern.compile("total \\d+K, used (\\d+)K").matcher(said);
        long bytes = 0;
        while (used.find()) {
            bytes += Long.parseLong(used.group(1)) * 1024;
        }
        return bytes;
    }

    /** Ends it as an operator does, which ends its worker-agent, and removes the folders. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
