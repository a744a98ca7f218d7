package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.ApplyAnswer;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.HostUser;
import brig.workeragent.wall.ToolWall;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Applies patches to repositories of this host, all or nothing, wherever they were made. Blocks; thread-safe, one call
 * at a time per spawn and per repository.
 *
 * <p>Decisions 0105, 0164.
 */
record Applying(WorkspaceNotes notes, Repositories repositories, Git git, KeyedLock turns) {
    /**
     * Judges a patch, and applies it.
     *
     * @param note whose source is the repository
     * @param patch as {@link PatchReader} wrote it
     * @param changes what is in it
     * @param check only tests whether it applies
     * @param named globs of files that are applied although they are {@link ApplyAnswer.Withheld} otherwise
     */
    ApplyAnswer apply(WorkspaceNote note, Path patch, List<FileChange> changes, boolean check, FileGlobs named)
            throws IOException {
        if (changes.isEmpty()) {
            return new ApplyAnswer(
                    note.spawnId(), note.source().toString(), "", "", false, false, List.of(), List.of());
        }
        Git.Text shown;
        try (InputStream file = Files.newInputStream(patch)) {
            shown = Git.Text.upTo(Worktrees.SHOWN_BYTES_MAX).read(file);
        }
        List<String> conflicts = PatchRules.refused(changes);
        List<ApplyAnswer.Withheld> withheld = conflicts.isEmpty() ? PatchRules.withheld(changes, named) : List.of();
        boolean tried = conflicts.isEmpty() && withheld.isEmpty();
        if (tried) {
            conflicts = turns.take(note.source().toString(), () -> run(note, patch, check));
        }
        return new ApplyAnswer(
                note.spawnId(),
                note.source().toString(),
                PatchRules.stat(changes),
                shown.text(),
                shown.truncated(),
                tried && !check && conflicts.isEmpty(),
                conflicts,
                withheld);
    }

    /** @return why it does not apply, in git's words; empty if it does */
    private List<String> run(WorkspaceNote note, Path patch, boolean check) throws IOException {
        HostUser lender = note.lender();
        if (!Objects.equals(lender, repositories.lenderOf(note.source()))) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD, "the repository " + note.source() + " is somebody else's now");
        }
        Path config = notes.configOf(note.spawnId());
        Path readable = lender == null ? patch : lend(note, lender, patch, "patch");
        Path shown = lender == null ? config : lend(note, lender, config, "config");
        List<Confinement.Mount> mounts = List.of(
                Git.Place.readOnly(note.source().resolve(".git"), "/workspace/.git"),
                Git.Place.readOnly(shown, "/config"),
                Git.Place.readOnly(readable, "/patch"));
        ToolWall.Said<Git.Text> said = git.attempt(
                List.of("apply"),
                new Git.Place(note.source(), check, mounts, lender),
                Git.NOTHING,
                Git.Text.upTo(0),
                check ? "check" : "apply");
        if (lender != null) {
            Files.delete(readable);
            Files.delete(shown);
        }
        return said.exitCode() == 0
                ? List.of()
                : said.complaint()
                        .lines()
                        .map(line -> line.replaceFirst("^error: ", ""))
                        .toList();
    }

    /** A copy for the owner to read, who must not change what is kept. */
    private Path lend(WorkspaceNote note, HostUser lender, Path file, String what) throws IOException {
        Path copy = notes.lentOf(note.spawnId(), what);
        notes.store(copy, to -> Files.copy(file, to), lender);
        return copy;
    }
}
