package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs programs on what an agent may have changed, as the workers' user: as root's children they give up root first.
 * Blocks; any thread may call.
 *
 * @param uid the user to run as; that of this process where it cannot become another
 */
record AsWorker(int uid, boolean switched) {
    /** What a program said: its output, cut off where that was longer than asked for, and its complaint. */
    record Said(int exitCode, String text, boolean truncated, String complaint) {
        boolean failed() {
            return exitCode != 0 && !truncated;
        }
    }

    private static final int WAIT_SECONDS = 60;
    private static final int COMPLAINT_BYTES_MAX = 2000;
    private static final byte[] NOTHING = new byte[0];

    /** Deletes everything in a folder without following a link, also where its owner shut himself out. */
    void empty(Path folder) {
        run("find", folder.toString(), "-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";");
        run("find", folder.toString(), "-mindepth", "1", "-delete");
    }

    /** Makes a folder, and those above it that are missing. */
    void makeFolder(Path folder) {
        run("mkdir", "-p", "--", folder.toString());
    }

    void copy(Path from, Path to) {
        run("cp", "--", from.toString(), to.toString());
    }

    /** Makes the workers' user the owner of one file. */
    void give(Path path) throws IOException {
        if (switched) {
            Files.setAttribute(path, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** @throws BrigException {@code INTERNAL} with the program's complaint where it fails */
    private void run(String... words) {
        Said said = run(List.of(words), Map.of(), NOTHING, 0);
        if (said.failed()) {
            throw new BrigException(ErrorCode.INTERNAL, words[0] + " failed: " + said.complaint());
        }
    }

    /**
     * Runs a program to its end.
     *
     * @param environment all of it, beside a usual PATH
     * @param bytesMax how much of its output is wanted
     */
    Said run(List<String> words, Map<String, String> environment, byte[] input, int bytesMax) {
        List<String> command = new ArrayList<>();
        if (switched) {
            String id = Integer.toString(uid);
            command.addAll(List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--no-new-privs", "--"));
        }
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(
                Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "HOME", "/nonexistent", "LANG", "C.UTF-8"));
        builder.environment().putAll(environment);
        // The folder of this process may be closed to the worker's user.
        builder.directory(Path.of("/").toFile());
        try {
            return finish(builder.start(), input, bytesMax);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, words.get(0) + " cannot be run: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    private static Said finish(Process process, byte[] input, int bytesMax) throws IOException, InterruptedException {
        try (InputStream stdout = process.getInputStream(); InputStream stderr = process.getErrorStream()) {
            process.onExit().orTimeout(WAIT_SECONDS, TimeUnit.SECONDS)
                    .exceptionally(late -> process.destroyForcibly());
            CompletableFuture<byte[]> complaint = CompletableFuture.supplyAsync(() -> drain(stderr));
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input);
            }
            byte[] said = stdout.readNBytes(bytesMax);
            boolean truncated = said.length == bytesMax && stdout.read() >= 0;
            if (truncated) {
                process.destroyForcibly();
            }
            int code = process.waitFor();
            return new Said(code, new String(said, UTF_8), truncated, new String(complaint.join(), UTF_8).strip());
        }
    }

    /** Reads to the end, so that nobody waits, and keeps the beginning. */
    private static byte[] drain(InputStream stream) {
        try {
            byte[] kept = stream.readNBytes(COMPLAINT_BYTES_MAX);
            stream.transferTo(OutputStream.nullOutputStream());
            return kept;
        } catch (IOException gone) {
            return new byte[0];
        }
    }
}
