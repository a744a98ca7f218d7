package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import brig.workeragent.wall.ToolWall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

    /** What agents may write of a repository's .git, beside what is the worktree's own. */
    private static final List<String> WRITABLE = List.of("objects", "refs/heads/brig", "logs/refs/heads/brig");
    /** What decides, in a .git, which programs git starts and where it looks. */
    private static final List<String> DECIDING =
            List.of("HEAD", "commondir", "config", "config.worktree", "hooks", "index", "info", "modules", "shallow");
    private static final String GIT = "/git";
    /** In JSON no byte becomes more than six, and an answer has at most 4 MiB. */
    static final int SHOWN_BYTES_MAX = 512 * 1024;
    private static final long PATCH_BYTES_MAX = 64L * 1024 * 1024;
    private static final int WORD_BYTES_MAX = 100;

    private final Notes notes;
    private final Repositories repositories;
    private final Git git;

    Worktrees(Notes notes, Repositories repositories, Git git) {
        this.notes = notes;
        this.repositories = repositories;
        this.git = git;
    }

    /**
     * Makes the worktree of a spawn from the repository's HEAD.
     *
     * @param admin whether an admin asks for it
     * @param uncommitted whether changes of tracked files that are not committed come along
     * @param hidden which tracked files are not checked out
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}; nothing is left then
     */
    MadeWorkspaces.Made make(String spawnId, String taskId, Path repository, boolean admin, boolean uncommitted,
            List<String> hidden) {
        Path real = repositories.require(repository, admin);
        Survey found = Survey.of(git, real, uncommitted);
        found.requireHarmless();
        Note note = new Note(spawnId, taskId, Note.Kind.WORKTREE, real, freeBranch(found, taskId), found.head(),
                Owner.self(), 0);
        try {
            Path folder = notes.makeFolder(spawnId);
            notes.write(note);
            notes.store(notes.configOf(spawnId), file -> file.write(found.shownConfig().getBytes(UTF_8)));
            String start = begin(note, found, found.privateFiles(hidden));
            notes.write(note.startedAt(start));
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
    private static String freeBranch(Survey found, String taskId) {
        String branch = "brig/" + taskId;
        for (int i = 2; found.branches().contains(BRANCHES + branch); i++) {
            branch = "brig/" + taskId + "-" + i;
        }
        return branch;
    }

    /** @return the commit that it begins with: with what was not committed, where that comes along */
    private String begin(Note note, Survey found, PrivateFiles hidden) throws IOException {
        Path common = commonOf(note);
        List<Confinement.Mount> mounts = new ArrayList<>(references(common));
        mounts.add(Git.Place.readOnly(note.source(), "/source"));
        Git.Place place = new Git.Place(notes.folderOf(note.spawnId()).toRealPath(), false, mounts);
        byte[] changed = Survey.list(found.changed(), hidden, false);
        byte[] skipped = Survey.list(found.tracked(), hidden, true);
        byte[] input = Arrays.copyOf(changed, changed.length + skipped.length);
        System.arraycopy(skipped, 0, input, changed.length, skipped.length);
        return git.run(List.of("begin"), place, input, stdout -> {
            String start = new String(stdout.readNBytes(note.start().length()), UTF_8);
            var _ = stdout.read();
            notes.store(notes.indexOf(note.spawnId()), stdout::transferTo);
            return start;
        }, note.spawnId(), note.branch(), note.start(), place.folder().toString(), common.toString(),
                Integer.toString(changed.length));
    }

    /** A repository's .git, of which only branches and worktrees can be changed. */
    private static List<Confinement.Mount> references(Path common) {
        List<Confinement.Mount> mounts = new ArrayList<>();
        mounts.add(Git.Place.writable(common, GIT));
        for (String name : DECIDING) {
            Path file = common.resolve(name);
            if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                mounts.add(Git.Place.readOnly(file, GIT + "/" + name));
            }
        }
        return mounts;
    }

    /**
     * Of the repository's .git only objects, the branches under brig/ and what git notes of this worktree are
     * writable. All else of it decides what git executes, or belongs to others. Nothing of this lies where an agent could put
     * a link in its place, for each wall mounts what it finds there.
     */
    List<Confinement.Mount> mounts(Note note) {
        Path common = commonOf(note);
        Path own = common.resolve("worktrees").resolve(note.spawnId());
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

    /** What looks at a worktree: nothing of the host can be changed, and nothing is seen that its agent does not see. */
    private Git.Place look(Note note) throws IOException {
        List<Confinement.Mount> mounts = new ArrayList<>();
        mounts.add(Git.Place.readOnly(commonOf(note), GIT));
        mounts.add(Git.Place.readOnly(notes.configOf(note.spawnId()), GIT + "/config"));
        for (Map.Entry<Path, String> kept : Map.of(notes.indexOf(note.spawnId()), "/index",
                notes.appliedOf(note.spawnId()), "/applied").entrySet()) {
            if (Files.exists(kept.getKey())) {
                mounts.add(Git.Place.readOnly(kept.getKey(), kept.getValue()));
            }
        }
        return new Git.Place(notes.folderOf(note.spawnId()).toRealPath(), true, mounts);
    }

    @Override
    public MadeWorkspaces.Diff diff(Note note) throws IOException {
        Git.Place place = look(note);
        Git.Text said = git.run(List.of("worktree", "diff"), place, Git.NOTHING, Git.Text.upTo(SHOWN_BYTES_MAX), note.start());
        return new MadeWorkspaces.Diff(said.text(), said.truncated(), note.branch(), place.folder());
    }

    /** Writes what its repository does not have yet into a file, for {@link #apply}. */
    List<FileChange> news(Note note, Path patch) throws IOException {
        List<FileChange> changes = new ArrayList<>();
        Git.Place place = look(note);
        notes.store(patch, file -> changes.addAll(git.run(List.of("worktree", "news"), place, Git.NOTHING,
                stdout -> PatchReader.copy(stdout, file, PATCH_BYTES_MAX), note.start())));
        return changes;
    }

    /**
     * Changes the repository by a patch: all of it, or nothing.
     *
     * @param check only looks whether it fits
     * @return why it does not, in git's words; empty where it does
     */
    List<String> apply(Note note, Path patch, boolean check) throws IOException {
        List<Confinement.Mount> mounts = List.of(Git.Place.readOnly(commonOf(note), "/workspace/.git"),
                Git.Place.readOnly(notes.configOf(note.spawnId()), "/config"), Git.Place.readOnly(patch, "/patch"));
        ToolWall.Said<Git.Text> said = git.attempt(List.of("apply"), new Git.Place(note.source(), check, mounts), Git.NOTHING,
                Git.Text.upTo(0), check ? "check" : "apply");
        if (said.exitCode() == 0 && !check) {
            notes.addApplied(note.spawnId(), patch);
        }
        return said.exitCode() == 0 ? List.of()
                : said.complaint().lines().map(line -> line.replaceFirst("^error: ", "")).toList();
    }

    /** In the worktree or on its branch. */
    @Override
    public boolean isChanged(Note note) throws IOException {
        return !git.run(List.of("worktree", "changed"), look(note), Git.NOTHING, Git.Text.upTo(WORD_BYTES_MAX),
                note.start(), note.spawnId(), note.branch()).text().isEmpty();
    }

    /** Nothing was checked out yet, so no agent was ever in there. */
    @Override
    public boolean isUnfinished(Note note) throws IOException {
        Path folder = notes.folderOf(note.spawnId());
        if (Files.exists(notes.indexOf(note.spawnId()))) {
            return false;
        }
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.allMatch(file -> file.endsWith(".git"));
        }
    }

    @Override
    public void remove(Note note, boolean withCommits) {
        Path folder = notes.folderOf(note.spawnId());
        try {
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                // A repository that is gone knows nothing of it.
                boolean known = Files.isDirectory(commonOf(note), LinkOption.NOFOLLOW_LINKS);
                git.run(List.of("remove"),
                        new Git.Place(folder.toRealPath(), false, known ? references(commonOf(note)) : List.of()), Git.NOTHING,
                        Git.Text.upTo(0), known ? note.spawnId() : "", note.branch(), withCommits ? "remove" : "keep");
                Files.delete(folder);
            }
            notes.remove(note);
        } catch (IOException | BrigException e) {
            LOG.warn("something of the worktree {} stays: {}", folder, e.getMessage());
        }
    }

    private static Path commonOf(Note note) {
        return note.source().resolve(".git");
    }
}
