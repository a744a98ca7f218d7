package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs git on a repository that an agent may have changed, so nothing in it may decide what is executed: no
 * hook, no monitor, no pager, no configuration but the repository's own (which agents cannot write). Blocks; any
 * thread may call.
 */
record Git(AsWorker user) {
    private static final List<String> SAFE = List.of("git", "--no-pager", "-c", "core.hooksPath=/dev/null",
            "-c", "core.fsmonitor=false", "-c", "core.pager=cat", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
            "-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "safe.directory=*");
    private static final Map<String, String> ENVIRONMENT = Map.of("GIT_CONFIG_NOSYSTEM", "1",
            "GIT_CONFIG_GLOBAL", "/dev/null", "GIT_TERMINAL_PROMPT", "0", "GIT_OPTIONAL_LOCKS", "0",
            "GIT_NO_LAZY_FETCH", "1");
    private static final byte[] NOTHING = new byte[0];
    /** In JSON no byte becomes more than six, and an answer has at most 4 MiB. */
    private static final int DIFF_BYTES_MAX = 512 * 1024;
    private static final int STAT_BYTES_MAX = 16 * 1024;

    /** A repository, with its folders named outright: no file in it says where its config is. */
    record Place(Path gitDir, Path commonDir, Path workTree) {
        /** The repository itself, with what it has checked out. */
        static Place of(Path repository) {
            return new Place(repository.resolve(".git"), repository.resolve(".git"), repository);
        }
    }

    /** All that it says. @throws BrigException {@code INVALID_FIELD}, with git's own complaint */
    String run(Place place, String... arguments) {
        return run(place, NOTHING, arguments);
    }

    /** The same with something on its standard input. */
    String run(Place place, byte[] input, String... arguments) {
        AsWorker.Said said = start(place, Map.of(), input, Integer.MAX_VALUE, arguments);
        if (said.failed()) {
            throw failure(said, arguments);
        }
        return said.text();
    }

    /**
     * How a work tree differs from a commit or tree, untracked files included; what cannot be read, or is no file
     * for git, is left out.
     *
     * @param index of our own: that of the agent stays as it is, and it cannot get at this one
     */
    AsWorker.Said diff(Place place, Path index, String since) {
        stage(place, index);
        String[] arguments = {"diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", "-M", since, "--"};
        Map<String, String> environment = Map.of("GIT_INDEX_FILE", index.toString());
        AsWorker.Said said = start(place, environment, NOTHING, DIFF_BYTES_MAX, arguments);
        if (said.failed()) {
            throw failure(said, arguments);
        }
        return said;
    }

    /**
     * Writes how an index differs from a commit or tree into a file that {@link #apply} takes, binary files included.
     *
     * @return the files and how many lines of each
     */
    String patch(Place place, Path index, String since, Path file) {
        Map<String, String> environment = Map.of("GIT_INDEX_FILE", index.toString());
        AsWorker.Said stat = start(place, environment, NOTHING, STAT_BYTES_MAX, "diff", "--cached", "--no-ext-diff",
                "--no-textconv", "--no-color", "-M", "--stat=90", since, "--");
        String[] arguments = {"diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-color", "--binary",
                "--full-index", "--output=" + file, since, "--"};
        AsWorker.Said written = start(place, environment, NOTHING, 0, arguments);
        if (written.failed() || stat.failed()) {
            throw failure(written.failed() ? written : stat, arguments);
        }
        return stat.text();
    }

    /** The tree of what an index holds. */
    String tree(Place place, Path index) {
        AsWorker.Said said = start(place, Map.of("GIT_INDEX_FILE", index.toString()), NOTHING, 100, "write-tree");
        if (said.failed()) {
            throw failure(said, "write-tree");
        }
        return said.text().strip();
    }

    /**
     * Applies a patch to a work tree, all of it or nothing; git itself refuses one that leads out of it.
     *
     * @param check only looks whether it fits
     * @return why it does not; empty where it does
     */
    List<String> apply(Place place, Path patch, boolean check) {
        AsWorker.Said said = start(place, Map.of(), NOTHING, 0, check
                ? new String[] {"apply", "--check", "--whitespace=nowarn", patch.toString()}
                : new String[] {"apply", "--whitespace=nowarn", patch.toString()});
        return said.failed() ? said.complaint().lines().map(line -> line.replaceFirst("^error: ", "")).toList() : List.of();
    }

    /** Makes an index say what the work tree holds. */
    void stage(Place place, Path index) {
        String[] arguments = {"add", "--all", "--ignore-errors"};
        AsWorker.Said said = start(place, Map.of("GIT_INDEX_FILE", index.toString()), NOTHING, 0, arguments);
        // 1 is for files that were left out.
        if (said.exitCode() > 1) {
            throw failure(said, arguments);
        }
    }

    private AsWorker.Said start(
            Place place, Map<String, String> further, byte[] input, int bytesMax, String... arguments) {
        List<String> words = new ArrayList<>(SAFE);
        words.addAll(List.of("-C", place.workTree().toString()));
        words.addAll(List.of(arguments));
        Map<String, String> variables = new HashMap<>(ENVIRONMENT);
        variables.putAll(further);
        variables.put("GIT_DIR", place.gitDir().toString());
        variables.put("GIT_COMMON_DIR", place.commonDir().toString());
        variables.put("GIT_WORK_TREE", place.workTree().toString());
        return user.run(words, variables, input, bytesMax);
    }

    private static BrigException failure(AsWorker.Said said, String... arguments) {
        return new BrigException(ErrorCode.INVALID_FIELD,
                "git " + String.join(" ", arguments) + " failed: " + said.complaint());
    }
}
