package brig.gateway.model;

import brig.gateway.connection.Problem;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.ApplyAnswer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes an agent's changes in its worktree at the end of an answer, for clients that know nothing of worktrees.
 *
 * <p>Decision 0073.
 */
final class WorktreeChanges {
    private static final int CHARACTERS_MAX = 32 * 1024;

    private final Applying applying;

    WorktreeChanges(Applying applying) {
        this.applying = applying;
    }

    /** As {@link brig.gateway.worker.WorkerAgent#apply}, without any withheld files named. */
    @FunctionalInterface
    interface Applying {
        CompletionStage<ApplyAnswer> apply(String spawnId, boolean check);
    }

    /** Who applies changes to the captain's repository. */
    enum Apply {
        /** The reader, following instructions. */
        ASK,
        /** Brig, at the end of the answer. */
        AUTO,
        /** Nobody. */
        NEVER;

        /** The value of the header {@code brig-apply}; {@code ask} by default. */
        static Apply read(@Nullable String text) {
            try {
                return text == null ? ASK : valueOf(text.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw BrigException.invalid("brig-apply", "must be ask, auto or never");
            }
        }
    }

    /** A description of the turn's changes; empty if there are none. Never fails. */
    CompletionStage<String> after(String spawnId, Apply apply) {
        return applying.apply(spawnId, apply != Apply.AUTO)
                .thenApply(found -> tell(spawnId, apply, found))
                .exceptionally(failure -> unknown(Problem.refusal(failure)));
    }

    private static String unknown(BrigException refusal) {
        // A worktree without changes is deleted with its worker.
        return refusal.code() == ErrorCode.NOT_FOUND
                ? ""
                : "\n\nBrig could not look at the changes: " + refusal.getMessage() + " (" + refusal.code() + ")\n";
    }

    private static String tell(String spawnId, Apply apply, ApplyAnswer found) {
        String patch = found.patch();
        if (patch.isEmpty()) {
            return "";
        }
        boolean whole = patch.length() <= CHARACTERS_MAX && !found.truncated();
        // A fence longer than any in the patch, so that the patch cannot close the block.
        String fence = "`".repeat(Math.max(3, longestRun(patch, '`') + 1));
        return "\n\n---\n" + outcome(spawnId, apply, found) + "\n\n```\n" + found.stat() + "```\n\n" + fence
                + "diff\n"
                + patch.substring(0, Math.min(patch.length(), CHARACTERS_MAX))
                + (whole ? "" : "\n[cut off: brig diff " + spawnId + " has more]\n") + fence + "\n";
    }

    private static String outcome(String spawnId, Apply apply, ApplyAnswer found) {
        String repository = found.repository();
        List<String> conflicts = found.conflicts();
        if (found.applied()) {
            return "Brig took these changes over into " + repository + ":";
        }
        String where = "These changes are in a worktree of their own, and not in " + repository;
        if (apply == Apply.NEVER) {
            return where + ", by the setting apply: never.";
        }
        if (!found.withheld().isEmpty()) {
            return where + ", for a person has to name these first: "
                    + found.withheld().stream()
                            .map(file -> file.path() + " (" + file.reason().wireName() + ")")
                            .collect(Collectors.joining(", "))
                    + ". To take them over: brig apply " + spawnId + " --allow FILE";
        }
        return conflicts.isEmpty()
                ? where + " until somebody runs: brig apply " + spawnId
                : where + ", for they conflict with what is there (" + String.join("; ", conflicts)
                        + "). Nothing was changed. Commit or set aside what is in the way, then: brig apply " + spawnId;
    }

    private static int longestRun(String text, char wanted) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < text.length(); i++) {
            run = text.charAt(i) == wanted ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }
}
