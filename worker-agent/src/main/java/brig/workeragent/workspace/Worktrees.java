package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.TransferRequest;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Git worktrees, one per spawn: {@code <base>/<spawn_id>} on the branch {@code brig/<task_id>}, with a suffix -2, -3…
 * if an earlier spawn left that branch. Blocks; thread-safe, one call at a time per spawn.
 *
 * <p>Decisions 0013, 0121, 0164, 0209.
 */
final class Worktrees implements MadeWorkspaces.Maker {
    private static final Logger LOG = LoggerFactory.getLogger(Worktrees.class);
    private static final String BRANCHES = "refs/heads/";

    /** The parts of a repository's .git that agents may write, besides the worktree's own. */
    private static final List<String> WRITABLE = List.of("objects", "refs/heads/brig", "logs/refs/heads/brig");
    /** The parts of a .git that decide which programs git starts and where it looks. */
    private static final List<String> DECIDING =
            List.of("HEAD", "commondir", "config", "config.worktree", "hooks", "index", "info", "modules", "shallow");

    private static final String GIT = "/git";
    /** JSON expands a byte to at most six, and an answer has at most 4 MiB. */
    static final int SHOWN_BYTES_MAX = 512 * 1024;

    private static final int WORD_BYTES_MAX = 100;

    private final WorkspaceNotes notes;
    private final Repositories repositories;
    private final Git git;
    private final Lending lending;
    private final Mirrors mirrors;

    Worktrees(WorkspaceNotes notes, Repositories repositories, Git git, Lending lending, Mirrors mirrors) {
        this.notes = notes;
        this.repositories = repositories;
        this.git = git;
        this.lending = lending;
        this.mirrors = mirrors;
    }

    /**
     * Makes the worktree of a spawn from the repository's HEAD.
     *
     * @param asker the requester
     * @param uncommitted whether to include uncommitted changes of tracked files
     * @param hidden which tracked files are not checked out
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}; nothing is left then
     */
    MadeWorkspaces.Made make(
            String spawnId,
            String taskId,
            Path repository,
            SpawnRequest.Asker asker,
            boolean uncommitted,
            List<String> hidden) {
        Repositories.Found repo = repositories.require(repository, asker);
        RepositorySurvey found = RepositorySurvey.of(git, repo.folder(), repo.lender(), uncommitted);
        found.requireHarmless();
        WorkspaceNote note = new WorkspaceNote(
                spawnId,
                taskId,
                WorkspaceNote.Kind.WORKTREE,
                repo.folder(),
                freeBranch(found, taskId),
                found.head(),
                WorkerAgentOwner.self(),
                repo.lender(),
                null,
                0);
        PrivateFiles left = found.privateFiles(hidden);
        return make(
                note,
                found.shownConfig(),
                () -> note.lender() == null
                        ? begin(note, found, RepositorySurvey.list(found.changed(), left, false), left)
                        : begin(keep(note, repo, found, left), found, Git.NOTHING, left));
    }

    /** Makes it from a commit of a mirror. */
    MadeWorkspaces.Made make(String spawnId, String taskId, Path repository, MirrorStart start, List<String> hidden) {
        try {
            String mirror = mirrors.require(start);
            RepositorySurvey found = RepositorySurvey.ofMirror(git, mirrors.folderOf(mirror), start.commit());
            WorkspaceNote note = new WorkspaceNote(
                    spawnId,
                    taskId,
                    WorkspaceNote.Kind.WORKTREE,
                    repository,
                    freeBranch(found, taskId),
                    start.commit(),
                    WorkerAgentOwner.self(),
                    null,
                    mirror,
                    0);
            PrivateFiles left = found.privateFiles(Stream.concat(hidden.stream(), start.hidden().stream())
                    .distinct()
                    .toList());
            return make(note, start.config(), () -> begin(borrow(note), found, Git.NOTHING, left));
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot make a worktree", e);
        }
    }

    /** Makes a worktree that just began what another one was. */
    @FunctionalInterface
    interface Overlay {
        void lay(WorkspaceNote note) throws IOException;
    }

    /** Makes it from the first commit of another one, which stays as it is. What that one applied counts as applied. */
    MadeWorkspaces.Made fork(
            String spawnId,
            String taskId,
            WorkspaceNote origin,
            SpawnRequest.Asker asker,
            List<String> hidden,
            Overlay overlay)
            throws IOException {
        if (origin.mirror() != null) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE, "a session whose repository is on another host cannot be forked");
        }
        Repositories.Found repo = repositories.require(origin.source(), asker);
        RepositorySurvey found = RepositorySurvey.of(git, repo.folder(), repo.lender(), false);
        found.requireHarmless();
        RepositorySurvey then = RepositorySurvey.ofMirror(git, commonOf(origin), origin.start());
        WorkspaceNote note = new WorkspaceNote(
                spawnId,
                taskId,
                WorkspaceNote.Kind.WORKTREE,
                repo.folder(),
                freeBranch(found, taskId),
                origin.start(),
                WorkerAgentOwner.self(),
                origin.lender(),
                null,
                0);
        return make(note, found.shownConfig(), () -> {
            if (note.hasStore()) {
                copyStore(origin, note);
            }
            String start = begin(note, then, Git.NOTHING, then.privateFiles(hidden));
            notes.copyApplied(origin.spawnId(), spawnId);
            overlay.lay(note);
            return start;
        });
    }

    private void copyStore(WorkspaceNote from, WorkspaceNote note) throws IOException {
        git.run(
                List.of("copy-history"),
                new Git.Place(makeStore(note), false, List.of(Git.Place.readOnly(commonOf(from), "/from"))),
                Git.NOTHING,
                Git.Text.upTo(0),
                Mirrors.formatOf(note.start()),
                note.start());
    }

    /** Fills the folder of a worktree. */
    @FunctionalInterface
    private interface Beginning {
        /** @return its first commit */
        String begin() throws IOException;
    }

    private MadeWorkspaces.Made make(WorkspaceNote note, String config, Beginning beginning) {
        try {
            Path folder = notes.makeFolder(note.spawnId());
            notes.write(note);
            notes.store(notes.configOf(note.spawnId()), file -> file.write(config.getBytes(UTF_8)));
            notes.write(note.startedAt(beginning.begin()));
            return new MadeWorkspaces.Made(folder, mounts(note));
        } catch (IOException e) {
            remove(note, true);
            throw Reason.refusal(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot make a worktree", e);
        } catch (BrigException e) {
            remove(note, true);
            throw e;
        }
    }

    /** An existing branch has somebody's work and is left unchanged. */
    private static String freeBranch(RepositorySurvey found, String taskId) {
        String branch = "brig/" + taskId;
        for (int i = 2; found.branches().contains(BRANCHES + branch); i++) {
            branch = "brig/" + taskId + "-" + i;
        }
        return branch;
    }

    /**
     * Makes a store for a worktree from the start commit and its history. Only the owner's user reads the owner's
     * files, and writes nothing; the store and the worktree belong to the workers' user.
     *
     * @return the note with the commit that the worktree begins with
     */
    private WorkspaceNote keep(WorkspaceNote note, Repositories.Found repo, RepositorySurvey found, PrivateFiles hidden)
            throws IOException {
        Path pack = notes.lentOf(note.spawnId(), "pack");
        String start = lending.pack(repo, found, hidden, List.of(), pack);
        git.run(
                List.of("keep"),
                new Git.Place(makeStore(note), false, List.of(Git.Place.readOnly(pack, "/pack"))),
                Git.NOTHING,
                Git.Text.upTo(0),
                Mirrors.formatOf(note.start()));
        Files.delete(pack);
        return note.startedAt(start);
    }

    /** Makes a store that has its objects from a mirror. */
    private WorkspaceNote borrow(WorkspaceNote note) throws IOException {
        Path mirror = mirrors.folderOf(String.valueOf(note.mirror()));
        git.run(
                List.of("borrow"),
                new Git.Place(makeStore(note), false, List.of()),
                Git.NOTHING,
                Git.Text.upTo(0),
                Mirrors.formatOf(note.start()),
                mirror.toString());
        return note;
    }

    private Path makeStore(WorkspaceNote note) throws IOException {
        return notes.makeFolder(String.valueOf(notes.storeOf(note.spawnId()).getFileName()));
    }

    /**
     * @param changed the files that become the first commit
     * @return the start commit, including uncommitted changes if so requested
     */
    private String begin(WorkspaceNote note, RepositorySurvey found, byte[] changed, PrivateFiles hidden)
            throws IOException {
        Path common = commonOf(note);
        List<Confinement.Mount> mounts = new ArrayList<>(references(common));
        mounts.addAll(borrowed(note));
        if (!note.hasStore()) {
            mounts.add(Git.Place.readOnly(note.source(), "/source"));
        }
        Git.Place place = new Git.Place(notes.folderOf(note.spawnId()).toRealPath(), false, mounts);
        byte[] skipped = RepositorySurvey.list(found.tracked(), hidden, true);
        byte[] input = Arrays.copyOf(changed, changed.length + skipped.length);
        System.arraycopy(skipped, 0, input, changed.length, skipped.length);
        return git.run(
                List.of("begin"),
                place,
                input,
                stdout -> {
                    String start = new String(stdout.readNBytes(note.start().length()), UTF_8);
                    var _ = stdout.read();
                    notes.store(notes.indexOf(note.spawnId()), stdout::transferTo);
                    return start;
                },
                note.spawnId(),
                note.branch(),
                note.start(),
                place.folder().toString(),
                common.toString(),
                Integer.toString(changed.length));
    }

    /** A repository's .git, of which only branches and worktrees can be changed. */
    private static List<Confinement.Mount> references(Path common) {
        List<Confinement.Mount> mounts = new ArrayList<>();
        mounts.add(Git.Place.writable(common, GIT));
        for (String name : DECIDING) {
            Path file = common.resolve(name);
            if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
                    || Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                mounts.add(Git.Place.readOnly(file, GIT + "/" + name));
            }
        }
        return mounts;
    }

    /**
     * In the repository's .git only objects, the branches under brig/ and this worktree's own data are writable. The
     * rest determines what git executes, or belongs to others. Every source lies where agents cannot replace it by a
     * link, since each wall mounts what it finds there.
     */
    List<Confinement.Mount> mounts(WorkspaceNote note) {
        Path common = commonOf(note);
        Path own = common.resolve("worktrees").resolve(note.spawnId());
        List<Confinement.Mount> mounts = new ArrayList<>(borrowed(note));
        mounts.add(new Confinement.Mount(common, common, true));
        mounts.add(new Confinement.Mount(notes.configOf(note.spawnId()), common.resolve("config"), true));
        for (String writable : WRITABLE) {
            Path shared = common.resolve(writable);
            mounts.add(new Confinement.Mount(shared, shared, false));
        }
        mounts.add(new Confinement.Mount(own, own, false));
        // These determine where git finds its configuration and its worktree.
        for (String fixed : List.of("commondir", "gitdir", "config.worktree")) {
            mounts.add(new Confinement.Mount(own.resolve(fixed), own.resolve(fixed), true));
        }
        return mounts;
    }

    /** The mirror that a store borrows from, at its own path. */
    private List<Confinement.Mount> borrowed(WorkspaceNote note) {
        if (note.mirror() == null) {
            return List.of();
        }
        Path mirror = mirrors.folderOf(note.mirror());
        return List.of(new Confinement.Mount(mirror, mirror, true));
    }

    /** The place for inspecting a worktree: read-only, and without files that its agent cannot see. */
    Git.Place look(WorkspaceNote note) throws IOException {
        List<Confinement.Mount> mounts = new ArrayList<>(borrowed(note));
        mounts.add(Git.Place.readOnly(commonOf(note), GIT));
        mounts.add(Git.Place.readOnly(notes.configOf(note.spawnId()), GIT + "/config"));
        for (Map.Entry<Path, String> kept : Map.of(
                        notes.indexOf(note.spawnId()), "/index", notes.appliedOf(note.spawnId()), "/applied")
                .entrySet()) {
            if (Files.exists(kept.getKey())) {
                mounts.add(Git.Place.readOnly(kept.getKey(), kept.getValue()));
            }
        }
        return new Git.Place(notes.folderOf(note.spawnId()).toRealPath(), true, mounts);
    }

    @Override
    public DiffAnswer diff(WorkspaceNote note, boolean stat) throws IOException {
        return show(note, null, List.of("worktree", "diff"), look(note), stat);
    }

    /** How another worktree differs from one, without files that are private in either. */
    DiffAnswer compare(WorkspaceNote note, WorkspaceNote other, boolean stat) throws IOException {
        requireOneBeginning(note, other);
        Git.Place place = look(note);
        List<Confinement.Mount> mounts = new ArrayList<>(place.mounts());
        mounts.add(Git.Place.readOnly(notes.folderOf(other.spawnId()).toRealPath(), "/other"));
        mounts.add(Git.Place.readOnly(commonOf(other), "/other-git"));
        Path index = notes.indexOf(other.spawnId());
        if (Files.exists(index)) {
            mounts.add(Git.Place.readOnly(index, "/other-index"));
        }
        return show(
                note,
                other.spawnId(),
                List.of("worktree", "compare"),
                new Git.Place(place.folder(), true, mounts),
                stat);
    }

    private static void requireOneBeginning(WorkspaceNote note, WorkspaceNote other) {
        for (WorkspaceNote one : List.of(note, other)) {
            if (one.kind() != WorkspaceNote.Kind.WORKTREE) {
                throw BrigException.invalid(
                        "to",
                        "can be compared only if both sessions have a worktree, and " + one.taskId() + " has a copy");
            }
        }
        if (note.mirror() != null || other.mirror() != null) {
            throw BrigException.invalid("to", "can be compared only on the host that has the repository");
        }
        if (!note.source().equals(other.source()) || !note.start().equals(other.start())) {
            throw BrigException.invalid(
                    "to",
                    "has no common base: " + other.taskId() + " began at another commit than " + note.taskId()
                            + "; compare a session with its forks, or 'brig diff' each of them");
        }
    }

    private DiffAnswer show(
            WorkspaceNote note, @Nullable String to, List<String> scripts, Git.Place place, boolean stat) {
        Git.Text said = git.run(scripts, place, Git.NOTHING, Git.Text.upTo(SHOWN_BYTES_MAX), note.start(), form(stat));
        return new DiffAnswer(
                note.spawnId(), to, note.branch(), place.folder().toString(), said.text(), said.truncated());
    }

    /** What git shows of differences. */
    static String form(boolean stat) {
        return stat ? "--stat" : "--patch";
    }

    /** Writes the changes that its repository lacks to a file, for {@link Applying}. */
    List<FileChange> news(WorkspaceNote note, Path patch) throws IOException {
        List<FileChange> changes = new ArrayList<>();
        Git.Place place = look(note);
        notes.store(
                patch,
                file -> changes.addAll(git.run(
                        List.of("worktree", "news"),
                        place,
                        Git.NOTHING,
                        stdout -> PatchReader.copy(stdout, file, TransferRequest.PATCH_BYTES_MAX),
                        note.start())));
        return changes;
    }

    /** In the worktree or on its branch. */
    @Override
    public boolean isChanged(WorkspaceNote note) throws IOException {
        return !git.run(
                        List.of("worktree", "changed"),
                        look(note),
                        Git.NOTHING,
                        Git.Text.upTo(WORD_BYTES_MAX),
                        note.start(),
                        note.spawnId(),
                        note.branch())
                .text()
                .isEmpty();
    }

    /** Nothing was checked out yet, so no agent was ever in it. */
    @Override
    public boolean isUnfinished(WorkspaceNote note) throws IOException {
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
    public void remove(WorkspaceNote note, boolean withCommits) {
        Path folder = notes.folderOf(note.spawnId());
        try {
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                // What borrows from a mirror goes as a whole. A deleted repository has no record of it.
                boolean known = note.mirror() == null && Files.isDirectory(commonOf(note), LinkOption.NOFOLLOW_LINKS);
                git.run(
                        List.of("remove"),
                        new Git.Place(folder.toRealPath(), false, known ? references(commonOf(note)) : List.of()),
                        Git.NOTHING,
                        Git.Text.upTo(0),
                        known ? note.spawnId() : "",
                        note.branch(),
                        withCommits ? "remove" : "keep");
                Files.delete(folder);
            }
            if (note.hasStore()) {
                removeFolder(commonOf(note));
            }
            removeFolder(notes.keptOf(note.spawnId()));
            notes.remove(note);
        } catch (IOException | BrigException e) {
            LOG.warn("parts of the worktree {} were not deleted: {}", folder, e.getMessage());
        }
    }

    private void removeFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            git.empty(folder);
            Files.delete(folder);
        }
    }

    /** The .git that the worktree shares, or its own store. */
    private Path commonOf(WorkspaceNote note) {
        return note.hasStore() ? notes.storeOf(note.spawnId()) : note.source().resolve(".git");
    }
}
