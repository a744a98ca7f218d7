package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.TransferRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Repositories of this host that worktrees on other hosts are made from: the packs that go there, and the changes that
 * come back. Which repository a spawn may change is noted when it is lent. The other host is not trusted: its patch is
 * read, judged and applied as that of an agent. Blocks; thread-safe.
 *
 * <p>Decision 0164.
 */
public final class Lending {
    private static final int COPY_BYTES = 64 * 1024;
    private static final int MIRROR_DIGITS = 32;

    private final WorkspaceNotes notes;
    private final Repositories repositories;
    private final Git git;
    private final Applying applying;
    private final KeyedLock turns;

    Lending(WorkspaceNotes notes, Repositories repositories, Git git, KeyedLock turns) {
        this.notes = notes;
        this.repositories = repositories;
        this.git = git;
        this.applying = new Applying(notes, repositories, git, turns);
        this.turns = turns;
    }

    Applying applying() {
        return applying;
    }

    /**
     * Checks that a repository may be lent.
     *
     * @param spawnId the spawn whose changes may be applied to it; null only checks
     * @return the name of its mirrors on other hosts
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    public String allow(@Nullable String spawnId, Path repository, Asker asker) {
        Repositories.Found found = repositories.require(repository, asker);
        if (spawnId != null) {
            try {
                notes.writeLent(new WorkspaceNote(
                        spawnId,
                        spawnId,
                        WorkspaceNote.Kind.WORKTREE,
                        found.folder(),
                        "",
                        "",
                        WorkerAgentOwner.self(),
                        found.lender(),
                        null,
                        0));
            } catch (IOException e) {
                throw failure(e);
            }
        }
        return mirrorOf(found.folder());
    }

    private static String mirrorOf(Path repository) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(repository.toString().getBytes(UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, MIRROR_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is lent, and the file with its pack, which is deleted on close. */
    public record Loan(TransferRequest.Lent lent, Path pack) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            Files.deleteIfExists(pack);
        }
    }

    /**
     * Packs what a mirror lacks of a repository's HEAD.
     *
     * @param uncommitted whether to include uncommitted changes of tracked files that are not private
     * @param hidden globs of private files
     * @param have commits that the mirror says it has
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    public Loan lend(Path repository, Asker asker, boolean uncommitted, List<String> hidden, List<String> have) {
        Repositories.Found repo = repositories.require(repository, asker);
        RepositorySurvey found = RepositorySurvey.of(git, repo.folder(), repo.lender(), uncommitted);
        found.requireHarmless();
        Path pack = notes.loan();
        try {
            String commit = pack(repo, found, found.privateFiles(hidden), have, pack);
            MirrorStart start = new MirrorStart(mirrorOf(repo.folder()), commit, found.shownConfig(), hidden);
            return new Loan(new TransferRequest.Lent(start, found.head(), Files.size(pack)), pack);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /**
     * Packs a repository's HEAD, with the uncommitted changes of the survey as one more commit. Only the owner's user
     * reads the owner's files, and writes nothing.
     *
     * @param have commits that the pack may assume
     * @return the last commit
     */
    String pack(Repositories.Found repo, RepositorySurvey found, PrivateFiles hidden, List<String> have, Path pack)
            throws IOException {
        byte[] changed = RepositorySurvey.list(found.changed(), hidden, false);
        List<String> arguments = new ArrayList<>(List.of(found.head(), Integer.toString(changed.length)));
        arguments.addAll(have);
        StringBuilder start = new StringBuilder();
        notes.store(
                pack,
                file -> git.run(
                        List.of("lend"),
                        new Git.Place(repo.folder(), true, List.of(), repo.lender()),
                        changed,
                        stdout -> {
                            start.append(
                                    new String(stdout.readNBytes(found.head().length()), UTF_8));
                            var _ = stdout.read();
                            copy(stdout, file);
                            return start;
                        },
                        arguments.toArray(String[]::new)));
        return start.toString();
    }

    private static void copy(InputStream pack, OutputStream file) throws IOException {
        byte[] bytes = new byte[COPY_BYTES];
        long left = TransferRequest.PACK_BYTES_MAX;
        for (int count = pack.read(bytes); count >= 0; count = pack.read(bytes)) {
            left -= count;
            if (left < 0) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD,
                        "the repository has more than " + TransferRequest.PACK_BYTES_MAX
                                + " bytes of history: give the agents a clone of their own");
            }
            file.write(bytes, 0, count);
        }
    }

    /**
     * Applies changes that a worker-agent of another host sends.
     *
     * @param patch at least the announced bytes; no more are read
     * @throws BrigException {@code NOT_FOUND} if nothing was lent to that spawn, {@code WORKSPACE_UNREADABLE} if this is
     *     no patch, {@code QUEUE_FULL}
     */
    public ApplyAnswer apply(TransferRequest.Apply announced, FileGlobs named, InputStream patch) {
        String spawnId = announced.spawnId();
        return turns.take(spawnId, () -> {
            WorkspaceNote note = notes.readLent(spawnId);
            Path came = notes.lentOf(spawnId, "came");
            try {
                notes.store(came, file -> Mirrors.copy(patch, file, announced.bytes()));
                return apply(note, came, announced.check(), named);
            } finally {
                Files.deleteIfExists(came);
            }
        });
    }

    private ApplyAnswer apply(WorkspaceNote note, Path came, boolean check, FileGlobs named) throws IOException {
        String spawnId = note.spawnId();
        Path checked = notes.patchOf(spawnId);
        try {
            List<FileChange> changes = read(came, checked);
            String config = changes.isEmpty()
                    ? ""
                    : RepositorySurvey.of(git, note.source(), note.lender(), false)
                            .shownConfig();
            notes.store(notes.configOf(spawnId), file -> file.write(config.getBytes(UTF_8)));
            return applying.apply(note, checked, changes, check, named);
        } finally {
            Files.deleteIfExists(checked);
            Files.deleteIfExists(notes.configOf(spawnId));
        }
    }

    private List<FileChange> read(Path came, Path checked) throws IOException {
        List<FileChange> changes = new ArrayList<>();
        try (InputStream file = Files.newInputStream(came)) {
            notes.store(checked, to -> changes.addAll(PatchReader.copy(file, to, TransferRequest.PATCH_BYTES_MAX)));
        }
        return changes;
    }

    /**
     * Keeps the changes of a spawn whose machine will be gone.
     *
     * @param patch at least the announced bytes; no more are read
     * @throws BrigException {@code NOT_FOUND} if nothing was lent to that spawn
     */
    public void keep(TransferRequest.Keep announced, InputStream patch) {
        String spawnId = announced.spawnId();
        turns.take(spawnId, () -> {
            WorkspaceNote note = notes.readLent(spawnId);
            notes.store(notes.homeOf(spawnId), file -> Mirrors.copy(patch, file, announced.bytes()));
            return note;
        });
    }

    /** Whether changes of that spawn are kept here. */
    boolean hasKept(String spawnId) {
        return Files.exists(notes.homeOf(spawnId));
    }

    /** The changes that are kept of a spawn, as {@link MadeWorkspaces#diff}. */
    DiffAnswer keptDiff(String spawnId, boolean stat) {
        return turns.take(spawnId, () -> {
            WorkspaceNote note = notes.readLent(spawnId);
            Path checked = notes.patchOf(spawnId);
            try {
                List<FileChange> changes = read(notes.homeOf(spawnId), checked);
                Git.Text shown;
                try (InputStream file = Files.newInputStream(checked)) {
                    shown = Git.Text.upTo(Worktrees.SHOWN_BYTES_MAX).read(file);
                }
                return new DiffAnswer(
                        spawnId,
                        null,
                        null,
                        note.source().toString(),
                        stat ? PatchRules.stat(changes) : shown.text(),
                        !stat && shown.truncated());
            } finally {
                Files.deleteIfExists(checked);
            }
        });
    }

    /** Applies the changes that are kept of a spawn, as {@link MadeWorkspaces#apply}. What was applied is kept no longer. */
    ApplyAnswer applyKept(String spawnId, boolean check, FileGlobs named) {
        return turns.take(spawnId, () -> {
            Path kept = notes.homeOf(spawnId);
            ApplyAnswer answer = apply(notes.readLent(spawnId), kept, check, named);
            if (answer.applied()) {
                notes.store(kept, file -> {});
            }
            return answer;
        });
    }

    private static BrigException failure(IOException e) {
        return new BrigException(ErrorCode.INTERNAL, "cannot lend the repository: " + Reason.withFile(e));
    }
}
