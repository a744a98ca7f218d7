package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Json;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Git worktrees, one for a spawn: {@code <base>/<spawn_id>} on the branch {@code brig/<task_id>}. A note
 * beside it, {@code <base>/<spawn_id>.worktree}, which no worker can get to, says of what and since when, so a
 * diff can be had after the spawn and from another worker-agent. Without changes a worktree goes with its
 * spawn.
 *
 * <p>Blocks; any thread may call, for one spawn one at a time.
 */
public final class Worktrees {
    /** A worktree for a spawn, and what its wall needs of the repository, at the same path as outside. */
    public record Made(Path folder, List<Confinement.Mount> mounts) {}

    /** What an agent changed since its start, committed or not, as git shows it. */
    public record Diff(String text, boolean truncated, String branch, Path folder) {}

    private record Note(String spawnId, Path repository, String branch, String start, Owner owner) {}

    private static final Logger LOG = LoggerFactory.getLogger(Worktrees.class);
    /** In JSON no byte becomes more than six, and an answer has at most 4 MiB. */
    private static final int DIFF_BYTES_MAX = 512 * 1024;
    private static final String NOTE_SUFFIX = ".worktree";
    private static final String SCRATCH = "diff-";

    private final Path base;
    private final Repositories repositories;
    private final int workerUid;
    private final boolean switched;
    private final Git git;
    private final Path scratchFolder;

    /**
     * @param scratchFolder a folder of this worker-agent alone; its workers pass through
     * @param bases where repositories may lie; worktrees are made in the first
     * @param switched whether workers have another uid than this process
     */
    public Worktrees(Path scratchFolder, List<Path> bases, int workerUid, boolean switched) {
        this.scratchFolder = scratchFolder;
        this.base = bases.get(0).toAbsolutePath();
        this.workerUid = workerUid;
        this.switched = switched;
        this.git = new Git(workerUid, switched);
        this.repositories = new Repositories(git, bases, switched ? workerUid : null);
    }

    /**
     * Makes the worktree of a spawn from what the repository has checked out.
     *
     * @param hidden which tracked files are not checked out
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}; nothing is left then
     */
    public Made make(String spawnId, String taskId, Path repository, List<String> hidden) {
        Path real = repositories.require(repository);
        String start = git.run(Git.Place.of(real), "rev-parse", "--verify", "HEAD").strip();
        Note note = new Note(spawnId, real, "brig/" + taskId, start, Owner.self());
        try {
            Path folder = Files.createDirectory(base.toRealPath().resolve(spawnId),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            giveToWorker(folder);
            Files.write(noteOf(spawnId), Json.writeLine(Map.of("repository", real.toString(), "branch",
                    note.branch(), "start", start, "owner", note.owner().toMap())));
            git.run(Git.Place.of(real), "worktree", "add", "--quiet", "--no-checkout", "-b", note.branch(),
                    folder.toString(), start);
            checkOut(placeOf(note), new PrivateFiles(hidden));
            return new Made(folder, mounts(note));
        } catch (IOException e) {
            forget(note);
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot make a worktree: " + e);
        } catch (BrigException e) {
            forget(note);
            throw e;
        }
    }

    /** A file that is tracked and private is marked as skipped: git neither writes it nor misses it. */
    private void checkOut(Git.Place place, PrivateFiles hidden) {
        git.run(place, "read-tree", "HEAD");
        List<String> tracked = List.of(git.run(place, "ls-files", "-z").split("\0"));
        PrivateFiles all = !tracked.contains(PrivateFiles.LIST) ? hidden
                : hidden.and(git.run(place, "show", "HEAD:" + PrivateFiles.LIST));
        StringBuilder skipped = new StringBuilder();
        tracked.stream().filter(file -> !file.isEmpty() && all.matches(Path.of(file)))
                .forEach(file -> skipped.append(file).append('\0'));
        git.run(place, Map.of(), skipped.toString().getBytes(UTF_8), Integer.MAX_VALUE,
                "update-index", "--skip-worktree", "-z", "--stdin");
        git.run(place, "checkout-index", "--all", "--quiet");
        git.run(place, "update-index", "-q", "--refresh");
    }

    /**
     * Of the repository's .git only objects, the branches under brig/ and what git notes of this worktree are
     * writable. All else of it decides what git executes, or belongs to others.
     */
    private List<Confinement.Mount> mounts(Note note) throws IOException {
        Path common = note.repository().resolve(".git");
        Path own = placeOf(note).gitDir();
        List<Confinement.Mount> mounts = new ArrayList<>();
        mounts.add(new Confinement.Mount(common, common, true));
        for (String writable : List.of("objects", "refs/heads/brig", "logs/refs/heads/brig")) {
            Path shared = common.resolve(writable);
            if (!Files.isDirectory(shared, LinkOption.NOFOLLOW_LINKS)) {
                git.makeFolder(shared);
            }
            mounts.add(new Confinement.Mount(shared, shared, false));
        }
        mounts.add(new Confinement.Mount(own, own, false));
        Files.createFile(own.resolve("config.worktree"));
        giveToWorker(own.resolve("config.worktree"));
        // These say where git finds its configuration and its worktree.
        for (String fixed : List.of("commondir", "gitdir", "config.worktree")) {
            mounts.add(new Confinement.Mount(own.resolve(fixed), own.resolve(fixed), true));
        }
        return mounts;
    }

    /** What changed in a spawn's worktree. @throws BrigException {@code NOT_FOUND} where it has none */
    public Diff diff(String spawnId) {
        Note note = read(spawnId);
        repositories.requireHarmless(note.repository());
        Git.Place place = placeOf(note);
        try {
            // An index of our own: that of the agent stays as it is, and it cannot get at this one.
            Path scratch = Files.createTempDirectory(scratchFolder, SCRATCH);
            giveToWorker(scratch);
            try {
                Path index = scratch.resolve("index");
                git.copy(place.gitDir().resolve("index"), index);
                Map<String, String> environment = Map.of("GIT_INDEX_FILE", index.toString());
                git.run(place, environment, new byte[0], 0, "add", "--all");
                Git.Output output = git.run(place, environment, new byte[0], DIFF_BYTES_MAX, "diff", "--cached",
                        "--no-ext-diff", "--no-textconv", "--no-color", "-M", note.start(), "--");
                return new Diff(output.text(), output.truncated(), note.branch(), place.workTree());
            } finally {
                git.empty(scratch);
                Files.delete(scratch);
            }
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot look at the worktree: " + e);
        }
    }

    /** The spawn is over: its worktree goes, unless something changed in it or on its branch. */
    public void end(String spawnId) {
        try {
            Note note = read(spawnId);
            Git.Place place = placeOf(note);
            boolean changed = !git.run(place, "status", "--porcelain", "--untracked-files=all").isEmpty()
                    || !git.run(place, "rev-parse", "HEAD").strip().equals(note.start())
                    || !git.run(Git.Place.of(note.repository()), "rev-parse", note.branch()).strip().equals(note.start());
            if (changed) {
                LOG.info("worktree stays, for it has changes: {} branch={}", place.workTree(), note.branch());
            } else {
                forget(note);
            }
        } catch (BrigException e) {
            LOG.warn("worktree of {} stays: {}", spawnId, e.getMessage());
        }
    }

    /**
     * Ends the worktrees that a worker-agent that is gone left without an end, and removes what it was at when
     * it died. To be called before the first spawn.
     */
    public void sweep() {
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(base, "spn_*" + NOTE_SUFFIX);
                DirectoryStream<Path> scratches = Files.newDirectoryStream(scratchFolder, SCRATCH + "*")) {
            for (Path note : notes) {
                String name = String.valueOf(note.getFileName());
                sweep(name.substring(0, name.length() - NOTE_SUFFIX.length()));
            }
            for (Path scratch : scratches) {
                git.empty(scratch);
                Files.delete(scratch);
            }
        } catch (IOException | DirectoryIteratorException | BrigException e) {
            LOG.warn("cannot look for what a predecessor left: {}", e.toString());
        }
    }

    private void sweep(String spawnId) {
        try {
            Note note = read(spawnId);
            if (note.owner().isGone()) {
                LOG.info("the worker-agent of {} is gone", spawnId);
                if (isUnfinished(placeOf(note))) {
                    forget(note);
                } else {
                    end(spawnId);
                }
            }
        } catch (IOException | BrigException e) {
            LOG.warn("worktree of {} stays: {}", spawnId, e.getMessage());
        }
    }

    /** Nothing was checked out yet, so no agent was ever in there. */
    private static boolean isUnfinished(Git.Place place) throws IOException {
        if (Files.isRegularFile(place.gitDir().resolve("index"))) {
            return false;
        }
        if (!Files.isDirectory(place.workTree(), LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try (Stream<Path> files = Files.list(place.workTree())) {
            return files.allMatch(file -> file.endsWith(".git"));
        }
    }

    /** Removes all that a spawn's worktree is made of, as far as it is there. */
    private void forget(Note note) {
        Git.Place place = placeOf(note);
        try {
            if (Files.isDirectory(place.workTree(), LinkOption.NOFOLLOW_LINKS)) {
                git.empty(place.workTree());
                Files.delete(place.workTree());
            }
            if (Files.isDirectory(place.gitDir(), LinkOption.NOFOLLOW_LINKS)) {
                git.run(Git.Place.of(note.repository()), "worktree", "remove", "--force", place.workTree().toString());
                git.run(Git.Place.of(note.repository()), "branch", "--quiet", "-D", note.branch());
            }
            Files.deleteIfExists(noteOf(note.spawnId()));
        } catch (IOException | BrigException e) {
            LOG.warn("something of the worktree {} stays: {}", place.workTree(), e.getMessage());
        }
    }

    private void giveToWorker(Path path) throws IOException {
        if (switched) {
            Files.setAttribute(path, "unix:gid", workerUid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", workerUid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private Git.Place placeOf(Note note) {
        Path common = note.repository().resolve(".git");
        return new Git.Place(
                common.resolve("worktrees").resolve(note.spawnId()), common, base.resolve(note.spawnId()));
    }

    private Path noteOf(String spawnId) {
        return base.resolve(spawnId + NOTE_SUFFIX);
    }

    private Note read(String spawnId) {
        try {
            Fields note = new Fields(Json.parseObject(Files.readAllBytes(noteOf(spawnId))));
            return new Note(spawnId, Path.of(note.requiredText("repository")), note.requiredText("branch"),
                    note.requiredText("start"), Owner.read(note.object("owner")));
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND,
                    "this spawn has no worktree; one without changes is removed when its spawn ends");
        }
    }
}
