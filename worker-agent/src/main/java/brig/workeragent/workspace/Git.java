package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs git on a repository that an agent may have changed, so nothing in it may decide what is executed: no
 * hook, no monitor, no pager, no configuration but the repository's own (which agents cannot write), and as
 * root's child it gives up root for the worker's uid first. Blocks; any thread may call.
 */
final class Git {
    /** What git said; cut off where it said more than was asked for. */
    record Output(String text, boolean truncated) {}

    private static final int WAIT_SECONDS = 60;
    private static final int COMPLAINT_BYTES_MAX = 2000;
    private static final List<String> SAFE = List.of("git", "--no-pager", "-c", "core.hooksPath=/dev/null",
            "-c", "core.fsmonitor=false", "-c", "core.pager=cat", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
            "-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "safe.directory=*");

    /** Becomes the worker's user; empty where this process is that user. */
    private final List<String> asWorker;

    /** @param uid the user to run as; that of this process where it cannot become another */
    Git(int uid, boolean switched) {
        String id = Integer.toString(uid);
        asWorker = switched
                ? List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--no-new-privs", "--")
                : List.of();
    }

    /** A repository, with its folders named outright: no file in it says where its config is. */
    record Place(Path gitDir, Path commonDir, Path workTree) {
        /** The repository itself, with what it has checked out. */
        static Place of(Path repository) {
            return new Place(repository.resolve(".git"), repository.resolve(".git"), repository);
        }
    }

    /** Deletes everything in a folder, as the worker's user and without following a link. */
    void empty(Path folder) {
        start(List.of("find", folder.toString(), "-mindepth", "1", "-delete"), Map.of(), new byte[0], 0);
    }

    /** Makes a folder that belongs to the worker's user, and those above it that are missing. */
    void makeFolder(Path folder) {
        start(List.of("mkdir", "-p", "--", folder.toString()), Map.of(), new byte[0], 0);
    }

    /** Copies a file with the rights of the worker's user. */
    void copy(Path from, Path to) {
        start(List.of("cp", "--", from.toString(), to.toString()), Map.of(), new byte[0], 0);
    }

    /** All that it says. @throws BrigException {@code INVALID_FIELD}, with git's own complaint */
    String run(Place place, String... arguments) {
        return run(place, Map.of(), new byte[0], Integer.MAX_VALUE, arguments).text();
    }

    /**
     * The same with more in its environment, something on its standard input, and a bound for what it says.
     */
    Output run(Place place, Map<String, String> environment, byte[] input, int bytesMax, String... arguments) {
        List<String> words = new ArrayList<>(SAFE);
        words.addAll(List.of("-C", place.workTree().toString()));
        words.addAll(List.of(arguments));
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("GIT_DIR", place.gitDir().toString());
        variables.put("GIT_COMMON_DIR", place.commonDir().toString());
        variables.put("GIT_WORK_TREE", place.workTree().toString());
        return start(words, variables, input, bytesMax);
    }

    private Output start(List<String> words, Map<String, String> environment, byte[] input, int bytesMax) {
        List<String> command = new ArrayList<>(asWorker);
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", "/usr/local/bin:/usr/bin:/bin", "HOME", "/nonexistent",
                "LANG", "C.UTF-8", "GIT_CONFIG_NOSYSTEM", "1", "GIT_CONFIG_GLOBAL", "/dev/null",
                "GIT_TERMINAL_PROMPT", "0", "GIT_OPTIONAL_LOCKS", "0", "GIT_NO_LAZY_FETCH", "1"));
        builder.environment().putAll(environment);
        // The folder of this process may be closed to the worker's user.
        builder.directory(Path.of("/").toFile());
        try {
            List<String> asked = words.subList(Math.max(words.indexOf("-C"), 0), words.size());
            return finish(builder.start(), input, bytesMax, String.join(" ", asked));
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, words.get(0) + " cannot be run: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "the worker-agent is being stopped");
        }
    }

    private static Output finish(Process git, byte[] input, int bytesMax, String what)
            throws IOException, InterruptedException {
        try (InputStream stdout = git.getInputStream(); InputStream stderr = git.getErrorStream()) {
            git.onExit().orTimeout(WAIT_SECONDS, TimeUnit.SECONDS).exceptionally(late -> git.destroyForcibly());
            CompletableFuture<byte[]> complaint = CompletableFuture.supplyAsync(() -> drain(stderr));
            try (OutputStream stdin = git.getOutputStream()) {
                stdin.write(input);
            }
            byte[] said = stdout.readNBytes(bytesMax);
            boolean truncated = said.length == bytesMax && stdout.read() >= 0;
            if (truncated) {
                git.destroyForcibly();
            }
            int code = git.waitFor();
            if (code != 0 && !truncated) {
                throw new BrigException(ErrorCode.INVALID_FIELD,
                        what + " failed: " + new String(complaint.join(), UTF_8).strip());
            }
            return new Output(new String(said, UTF_8), truncated);
        }
    }

    /** Reads to the end, so that git never waits, and keeps the beginning. */
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
