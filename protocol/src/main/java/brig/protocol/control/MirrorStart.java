package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a worktree begins with whose repository is on another host: a commit of the mirror there.
 *
 * @param mirror the name of the mirror, 32 hexadecimal digits
 * @param commit with uncommitted changes, if they were asked for
 * @param config what agents see of the repository's configuration, as git writes it
 * @param hidden globs of files that are not checked out
 */
public record MirrorStart(
        String mirror,
        String commit,
        String config,
        @OmitEmpty List<String> hidden) {
    private static final Pattern MIRROR = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
    private static final int CONFIG_CHARACTERS_MAX = 64 * 1024;

    public MirrorStart {
        requireMirror(mirror);
        requireCommit("commit", commit);
        if (config.length() > CONFIG_CHARACTERS_MAX) {
            throw BrigException.invalid("config", "has more than " + CONFIG_CHARACTERS_MAX + " characters");
        }
    }

    /** The name becomes part of file names. */
    static void requireMirror(String name) {
        if (!MIRROR.matcher(name).matches()) {
            throw BrigException.invalid("mirror", "must be 32 hexadecimal digits");
        }
    }

    static void requireCommit(String field, String id) {
        if (!COMMIT.matcher(id).matches()) {
            throw BrigException.invalid(field, "must be the id of a commit");
        }
    }
}
