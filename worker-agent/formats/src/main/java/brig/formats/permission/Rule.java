package brig.formats.permission;

import brig.protocol.record.Name;
import brig.protocol.record.Settings;
import brig.protocol.spawn.PermissionMode;
import org.jspecify.annotations.Nullable;

/**
 * What happens to some calls of a tool.
 *
 * <p>Decision 0150.
 *
 * @param tool the agent's own name of it, or {@code *} for every tool
 * @param match a glob on the command, the path or the URL that a call is about; null for all calls
 * @param action what happens to those calls
 */
@Settings
public record Rule(
        String tool, @Nullable String match, @Name("do") PermissionMode action) {
    public static final String EVERY_TOOL = "*";

    private static final int CHARS_MAX = 256;

    public Rule {
        requireText("tool", tool);
        if (match != null) {
            requireText("match", match);
        }
    }

    private static void requireText(String key, String text) {
        if (text.isEmpty() || text.length() > CHARS_MAX || !Glob.isPrintable(text)) {
            throw new IllegalArgumentException(
                    key + ": must have 1 to " + CHARS_MAX + " characters, without control characters");
        }
    }

    /** The same rule where a captain wants no more than that. */
    public Rule narrowedTo(PermissionMode wanted) {
        return action.isWiderThan(wanted) ? new Rule(tool, match, wanted) : this;
    }
}
