package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Git worktrees, one for a spawn: {@code <base>/<spawn_id>} on the branch {@code brig/<task_id>}, or with -2, -3…
 * behind it where an earlier spawn of that name left one. Blocks; any thread may call, for one spawn one at a time.
 */
final class Worktrees implements MadeWorkspaces.Maker {
    private static final Logger LOG = LoggerFactory.getLogger(Worktrees.class);
    private static final String BRANCHES = "refs/heads/";
    private static final Set<String> SHOWN_SECTIONS = Set.of("core", "extensions", "user");

    /** What agents may write of a repository's .git, beside what is the worktree's own. */
    private static final List<String> WRITABLE = List.of("objects", "refs/heads/brig", "logs/refs/heads/brig");

    private final Notes notes;
    private final Repositories repositories;
    private final Git git;

    Worktrees(Notes notes, List<Path> bases, Supplier<List<Path>> repositories) {
        this.notes = notes;
        this.git = new Git(notes.user());
        this.repositories = new Repositories(git, bases, repositories, notes.user().switched() ? notes.user().uid() : null);
    }

    /**
     * Makes the worktree of a spawn from the repository's HEAD.
     *
     * @param uncommitted whether changes of tracked files that are not committed come along
     * @param hidden which tracked files are not checked out
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}; nothing is left then
     */
    MadeWorkspaces.Made make(String spawnId, String taskId, Path repository, boolean uncommitted,
            List<String> hidden) {
        Path real = repositories.require(repository);
        String start = git.run(Git.Place.of(real), "rev-parse", "--verify", "HEAD").strip();
        Note note = new Note(
                spawnId, taskId, Note.Kind.WORKTREE, real, freeBranch(real, taskId), start, "", Owner.self(), 0);
        try {
            Path folder = notes.makeFolder(spawnId);
            notes.write(note);
            git.run(Git.Place.of(real), "worktree", "add", "--quiet", "--no-checkout", "-b", note.branch(),
                    folder.toString(), start);
            checkOut(note, new PrivateFiles(hidden), uncommitted);
            prepare(note);
            return new MadeWorkspaces.Made(folder, mounts(note));
        } catch (IOException e) {
            remove(note, true);
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot make a worktree: " + e);
        } catch (BrigException e) {
            remove(note, true);
            throw e;
        }
    }

    /** A branch that is there has somebody's work: it is left alone. */
    private String freeBranch(Path repository, String taskId) {
        Set<String> taken = git.run(Git.Place.of(repository), "for-each-ref", "--format=%(refname)", BRANCHES + "brig/")
                .lines().collect(Collectors.toSet());
        String branch = "brig/" + taskId;
        for (int i = 2; taken.contains(BRANCHES + branch); i++) {
            branch = "brig/" + taskId + "-" + i;
        }
        return branch;
    }

    /** A file that is tracked and private is marked as skipped: git neither writes it nor misses it. */
    private void checkOut(Note note, PrivateFiles hidden, boolean uncommitted) throws IOException {
        Git.Place place = placeOf(note);
        git.run(place, "read-tree", "HEAD");
        List<String> tracked = List.of(git.run(place, "ls-files", "-z").split("\0"));
        PrivateFiles all = !tracked.contains(PrivateFiles.LIST) ? hidden
                : hidden.and(git.run(place, "show", "HEAD:" + PrivateFiles.LIST));
        if (uncommitted) {
            takeUncommitted(note, all);
        }
        StringBuilder skipped = new StringBuilder();
        tracked.stream().filter(file -> !file.isEmpty() && all.matches(Path.of(file)))
                .forEach(file -> skipped.append(file).append('\0'));
        git.run(place, skipped.toString().getBytes(UTF_8), "update-index", "--skip-worktree", "-z", "--stdin");
        git.run(place, "checkout-index", "--all", "--quiet");
        git.run(place, "update-index", "-q", "--refresh");
    }

    /** What is changed in the repository becomes a commit in the worktree: what the agent changes is told apart from it. */
    private void takeUncommitted(Note note, PrivateFiles hidden) throws IOException {
        Git.Place repository = Git.Place.of(note.source());
        StringBuilder changed = new StringBuilder();
        String named = git.run(repository, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD");
        for (String file : named.split("\0", -1)) {
            if (!file.isEmpty() && !hidden.matches(Path.of(file))) {
                changed.append(file).append('\0');
            }
        }
        if (changed.isEmpty()) {
            return;
        }
        Git.Place place = placeOf(note);
        Git.Place across = new Git.Place(place.gitDir(), place.commonDir(), note.source());
        git.run(across, changed.toString().getBytes(UTF_8), "update-index", "--add", "--remove", "-z", "--stdin");
        String commit = git.run(place, "-c", "user.name=Brig", "-c", "user.email=brig@localhost", "commit-tree", "-p", note.start(),
                "-m", "What was changed in the repository and not committed", git.run(place, "write-tree").strip()).strip();
        git.run(place, "update-ref", BRANCHES + note.branch(), commit);
        notes.write(note.startedAt(commit));
    }

    /** What {@link #mounts} names and git does not make by itself. */
    private void prepare(Note note) throws IOException {
        Path common = note.source().resolve(".git");
        for (String writable : WRITABLE) {
            Path shared = common.resolve(writable);
            if (!Files.isDirectory(shared, LinkOption.NOFOLLOW_LINKS)) {
                notes.user().makeFolder(shared);
            }
        }
        Path own = placeOf(note).gitDir().resolve("config.worktree");
        Files.createFile(own);
        notes.user().give(own);
        Files.writeString(notes.configOf(note.spawnId()), shownConfig(note.source()));
    }

    /**
     * Of the repository's .git only objects, the branches under brig/ and what git notes of this worktree are
     * writable. All else of it decides what git executes, or belongs to others. Nothing of this lies where an agent could put
     * a link in its place, for each wall mounts what it finds there.
     */
    List<Confinement.Mount> mounts(Note note) {
        Path common = note.source().resolve(".git");
        Path own = placeOf(note).gitDir();
        List<Confinement.Mount> mounts = new ArrayList<>();
        mounts.add(new Confinement.Mount(common, common, true));
        mounts.add(new Confinement.Mount(notes.configOf(note.spawnId()), common.resolve("config"), true));
        for (String writable : WRITABLE) {
            Path shared = common.resolve(writable);
            mounts.add(new Confinement.Mount(shared, shared, false));
        }
        mounts.add(new Confinement.Mount(own, own, false));
        // These say where git finds its configuration and its worktree.
        for (String fixed : List.of("commondir", "gitdir", "config.worktree")) {
            mounts.add(new Confinement.Mount(own.resolve(fixed), own.resolve(fixed), true));
        }
        return mounts;
    }

    /**
     * What an agent sees of the repository's configuration: what git needs to work there, and who commits. The rest names
     * hosts, and may have passwords for them.
     */
    private String shownConfig(Path repository) {
        StringBuilder shown = new StringBuilder();
        for (String entry : repositories.config(repository, "--list", "-z").split("\0", -1)) {
            String[] keyAndValue = entry.split("\n", 2);
            String[] key = keyAndValue[0].split("\\.", -1);
            if (key.length == 2 && SHOWN_SECTIONS.contains(key[0]) && keyAndValue.length == 2) {
                shown.append('[').append(key[0]).append("]\n\t").append(key[1]).append(" = \"")
                        .append(keyAndValue[1].replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")).append("\"\n");
            }
        }
        return shown.toString();
    }

    @Override
    public MadeWorkspaces.Diff diff(Note note, Path scratch) {
        repositories.requireHarmless(note.source());
        Git.Place place = placeOf(note);
        Path index = scratch.resolve("index");
        notes.user().copy(place.gitDir().resolve("index"), index);
        AsWorker.Said said = git.diff(place, index, note.start());
        return new MadeWorkspaces.Diff(said.text(), said.truncated(), note.branch(), place.workTree());
    }

    /**
     * Takes over into the repository what it does not have yet of the worktree: all of it, or nothing.
     *
     * @param check only looks whether it fits
     */
    MadeWorkspaces.Applied apply(Note note, Path scratch, boolean check) throws IOException {
        repositories.requireHarmless(note.source());
        Git.Place place = placeOf(note);
        Path index = scratch.resolve("index");
        notes.user().copy(place.gitDir().resolve("index"), index);
        String since = note.applied().isEmpty() ? note.start() : note.applied();
        AsWorker.Said shown = git.diff(place, index, since);
        if (shown.text().isEmpty()) {
            return new MadeWorkspaces.Applied(note.source(), "", "", false, false, List.of());
        }
        Path patch = scratch.resolve("patch");
        String stat = git.patch(place, index, since, patch);
        List<String> conflicts = git.apply(Git.Place.of(note.source()), patch, check);
        boolean applied = !check && conflicts.isEmpty();
        if (applied) {
            notes.write(note.applied(git.tree(place, index)));
        }
        return new MadeWorkspaces.Applied(
                note.source(), stat, shown.text(), shown.truncated(), applied, conflicts);
    }

    /** In the worktree or on its branch. */
    @Override
    public boolean isChanged(Note note) {
        Git.Place place = placeOf(note);
        return !git.run(place, "status", "--porcelain", "--untracked-files=all").isEmpty()
                || !git.run(place, "rev-parse", "HEAD").strip().equals(note.start())
                || !git.run(Git.Place.of(note.source()), "rev-parse", note.branch()).strip().equals(note.start());
    }

    /** Nothing was checked out yet, so no agent was ever in there. */
    @Override
    public boolean isUnfinished(Note note) throws IOException {
        Git.Place place = placeOf(note);
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

    @Override
    public void remove(Note note, boolean withCommits) {
        Git.Place place = placeOf(note);
        try {
            if (Files.isDirectory(place.workTree(), LinkOption.NOFOLLOW_LINKS)) {
                notes.user().empty(place.workTree());
                Files.delete(place.workTree());
            }
            if (Files.isDirectory(place.gitDir(), LinkOption.NOFOLLOW_LINKS)) {
                git.run(Git.Place.of(note.source()), "worktree", "remove", "--force", place.workTree().toString());
                removeBranch(note, withCommits);
            }
            notes.remove(note);
        } catch (IOException | BrigException e) {
            LOG.warn("something of the worktree {} stays: {}", place.workTree(), e.getMessage());
        }
    }

    /** git itself refuses to remove a branch, with -d, whose commits are nowhere else. */
    private void removeBranch(Note note, boolean withCommits) {
        try {
            git.run(Git.Place.of(note.source()), "branch", "--quiet", withCommits ? "-D" : "-d", note.branch());
        } catch (BrigException e) {
            LOG.info("branch {} of {} stays: {}", note.branch(), note.source(), e.getMessage());
        }
    }

    private Git.Place placeOf(Note note) {
        Path common = note.source().resolve(".git");
        return new Git.Place(
                common.resolve("worktrees").resolve(note.spawnId()), common, notes.folderOf(note.spawnId()));
    }
}
