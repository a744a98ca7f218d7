package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which repositories worktrees may be made of.
 *
 * @param bases what they must lie below
 * @param ownerUid whom their .git must belong to, for agents to commit; null where there is but one user
 */
record Repositories(Git git, List<Path> bases, @Nullable Integer ownerUid) {

    /**
     * The real path of a repository that worktrees may be made of.
     *
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    Path require(Path repository) {
        try {
            Path real = repository.toRealPath();
            boolean inside = false;
            for (Path allowed : bases) {
                Path top = allowed.toRealPath();
                inside |= real.startsWith(top) && !real.equals(top);
            }
            if (!inside) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE,
                        "repository " + real + " is not below a workspace base");
            }
            Path gitFolder = real.resolve(".git");
            if (!Files.isDirectory(gitFolder, LinkOption.NOFOLLOW_LINKS)) {
                throw Fields.invalid("repository", "must be a git repository with a folder .git");
            }
            if (ownerUid != null && !ownerUid.equals(Files.getAttribute(gitFolder, "unix:uid"))) {
                throw Fields.invalid("repository", "must belong to the workers' user: chown -R " + ownerUid);
            }
            requireHarmless(real);
            return real;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + repository + " cannot be reached");
        }
    }

    /** Filters are programs that git runs when it writes or reads a file, and an include may bring some. */
    void requireHarmless(Path repository) {
        String keys = git.run(Git.Place.of(repository), "config", "--file",
                repository.resolve(".git/config").toString(), "--no-includes", "--name-only", "--list");
        for (String key : keys.toLowerCase(Locale.ROOT).lines().toList()) {
            if (key.startsWith("filter.") || key.startsWith("include")) {
                throw Fields.invalid(
                        "repository", "its .git/config has " + key + ", which may start programs");
            }
        }
    }
}
