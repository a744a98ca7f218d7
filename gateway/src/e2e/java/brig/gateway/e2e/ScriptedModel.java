package brig.gateway.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A model that does what {@code #scenario:…} in a message says, in the protocols of all real agents. Closing ends it. */
final class ScriptedModel implements AutoCloseable {
    private static final Path SERVER = Path.of("../worker-agent/formats/src/test/resources/agents/model-server.mjs")
            .toAbsolutePath();
    private static final Pattern URL = Pattern.compile(".*(http://127\\.0\\.0\\.1:\\d+).*");

    private final Process process;
    private final String url;

    ScriptedModel() throws IOException {
        this(List.of());
    }

    /** Writes each request there, body and all, as a line of JSON. */
    ScriptedModel(Path log) throws IOException {
        this(List.of("--full-log", "--log", log.toString()));
    }

    /** Writes the usage of each answer there, as a line of JSON, before the client has it. */
    static ScriptedModel billing(Path bills) throws IOException {
        return new ScriptedModel(List.of("--bills", bills.toString()));
    }

    private ScriptedModel(List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of("node", SERVER.toString(), "--port", "0"));
        command.addAll(options);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        url = address(process);
    }

    /** What it is run by. */
    static boolean isHere() {
        return Files.isExecutable(Path.of("/usr/bin/node"));
    }

    String url() {
        return url;
    }

    /** The address that a server on this host prints when it listens. */
    static String address(Process process) throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher found = URL.matcher(line);
            if (found.matches()) {
                return found.group(1);
            }
        }
        throw new AssertionError(process + " ended before it listened");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
