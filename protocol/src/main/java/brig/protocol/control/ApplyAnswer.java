package brig.protocol.control;

import brig.protocol.WireName;
import brig.protocol.record.Extensible;
import java.util.List;
import java.util.Locale;

/**
 * What of a spawn's worktree its repository did not have yet.
 *
 * @param stat the files and how many lines of each
 * @param patch as git shows it; empty where there was nothing
 * @param truncated whether there is more of it than is shown
 * @param applied whether the repository has it now
 * @param conflicts why it does not fit, in git's words; empty where it does
 * @param withheld files that get in only where they are named, and were not; nothing was changed then
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
     * A change that a person should know of before it is in the repository.
     *
     * @param path in printable ASCII, with the escapes of C
     */
    @Extensible
    public record Withheld(String path, Reason reason) {
        /** Why a person should know of it. */
        public enum Reason implements WireName {
            /** A link that leads out of the repository. */
            LINK_OUT,
            /** A file that can be run. */
            EXECUTABLE,
            /** A file that programs run or obey when they start there. */
            STARTUP_FILE,
            /** A repository inside, or what git takes for one. */
            REPOSITORY;

            @Override
            public String wireName() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }
}
