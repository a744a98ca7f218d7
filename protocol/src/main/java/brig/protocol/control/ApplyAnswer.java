package brig.protocol.control;

import brig.protocol.WireName;
import brig.protocol.record.Extensible;
import java.util.List;
import java.util.Locale;

/**
 * The changes of a spawn's worktree that its repository did not have yet.
 *
 * @param stat the changed files with their line counts
 * @param patch as git shows it; empty if nothing changed
 * @param truncated whether the patch was cut
 * @param applied whether the repository has the changes now
 * @param conflicts why the patch does not apply, in git's words; empty if it does
 * @param withheld files that are applied only when named, and were not; nothing was changed in that case
 */
@Extensible
public record ApplyAnswer(
        String spawnId,
        String repository,
        String stat,
        String patch,
        boolean truncated,
        boolean applied,
        List<String> conflicts,
        List<Withheld> withheld) {
    /**
     * A change that a person should review before it is applied.
     *
     * @param path in printable ASCII, with the escapes of C
     */
    @Extensible
    public record Withheld(String path, Reason reason) {
        /** Why it needs review. */
        public enum Reason implements WireName {
            /** A link to a place outside of the repository. */
            LINK_OUT,
            /** An executable file. */
            EXECUTABLE,
            /** A file that programs execute or obey when they start there. */
            STARTUP_FILE,
            /** A nested repository, or what git would treat as one. */
            REPOSITORY;

            @Override
            public String wireName() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }
}
