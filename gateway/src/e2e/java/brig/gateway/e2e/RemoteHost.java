package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An account of this machine that stands for one of another host, with the payload unpacked in its home, whose path has
 * spaces and quotes. Commands run as by ssh: with a poor environment, not in a login shell.
 */
final class RemoteHost implements AutoCloseable {
    static final String GATEWAY_ID = "0123456789ab";
    private static final int UID = 4741;
    private static final long END_SECONDS = 60;

    private final Path folder = Files.createTempDirectory("brig-e2e-");
    private final Path home = Files.createDirectory(folder.resolve("a \"home\" of $USER's"));
    private final List<Long> started = new ArrayList<>();
    private final String version;

    RemoteHost() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        if (Product.isRoot()) {
            Files.setAttribute(home, "unix:uid", UID);
        }
        // As installers of agents change it; a command by ssh does not read it.
        Files.writeString(home.resolve(".profile"), "echo welcome; PATH=\"$HOME/agents/bin:$PATH\"\n");
        version = Payloads.version();
        assertEquals("", said(as("mkdir", "-p", versions().toString())));
        assertEquals(
                "",
                said(as(
                        "tar",
                        "-xzf",
                        Payloads.archive().toString(),
                        "-C",
                        versions().toString())));
    }

    private String said(List<String> command) throws IOException {
        Run run = Run.of(command, "", folder);
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        return run.out().strip();
    }

    /** The command as the account. */
    List<String> as(String... command) throws IOException {
        List<String> words = new ArrayList<>();
        if (Product.isRoot()) {
            words.addAll(List.of("setpriv", "--reuid", "" + UID, "--regid", "" + UID, "--clear-groups", "--"));
        }
        words.addAll(List.of("env", "-i", "HOME=" + home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"));
        words.addAll(Product.javaOptions());
        words.addAll(List.of(command));
        return words;
    }

    private List<String> brigHost(String ofVersion, String... words) throws IOException {
        List<String> command = new ArrayList<>(
                as(versions().resolve(ofVersion).resolve("bin/brig-host").toString()));
        command.addAll(List.of(words));
        return command;
    }

    Run run(String... words) throws IOException {
        return Run.of(brigHost(version, words), "", folder);
    }

    /** The start of a worker-agent, still under way. */
    Process starting(String ofVersion) throws IOException {
        return new ProcessBuilder(brigHost(ofVersion, "start", "--gateway-id", GATEWAY_ID, "--idle-exit-s", "2"))
                .redirectErrorStream(true)
                .start();
    }

    /** What a start says in the end. */
    JsonObject answerOf(Process start) throws IOException {
        start.getOutputStream().close();
        String line = new String(start.getInputStream().readAllBytes(), UTF_8);
        JsonObject answer = JsonObject.read(line.getBytes(UTF_8));
        if (answer.value("pid") instanceof Long pid) {
            started.add(pid);
        }
        return answer;
    }

    JsonObject start(String ofVersion) throws IOException {
        return answerOf(starting(ofVersion));
    }

    /** Another version of the same payload. */
    String otherVersion() throws IOException {
        String other = version.substring(0, version.length() - 16) + "ffffffffffffffff";
        String from = versions().resolve(version).toString();
        String to = versions().resolve(other).toString();
        String lock = to + "/lib/requires";
        assertEquals("", said(as("cp", "-al", from, to)));
        assertEquals("", said(as("rm", lock)));
        assertEquals("", said(as("cp", from + "/lib/requires", lock)));
        return other;
    }

    static void awaitEnd(long pid) throws Exception {
        Optional<ProcessHandle> running = ProcessHandle.of(pid);
        if (running.isPresent()) {
            running.get().onExit().get(END_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** A folder of programs that only a login shell knows. */
    Path ownPrograms() {
        return home.resolve("agents/bin");
    }

    Path versions() {
        return home.resolve(".brig/versions");
    }

    Path state() {
        return home.resolve(".brig/gateways").resolve(GATEWAY_ID);
    }

    String version() {
        return version;
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        for (long pid : started) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
        }
        try {
            for (long pid : started) {
                awaitEnd(pid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new IOException(e);
        } finally {
            TestFolders.delete(folder);
            // With such a home the sockets are in /tmp.
            Run.of(as("sh", "-c", "rm -rf \"/tmp/brig-$(id -u)/" + GATEWAY_ID + "\""), "", Path.of("/tmp"));
        }
    }
}
