package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which repositories worktrees may be made of.
 *
 * @param bases below which they may lie
 * @param named where else they may be, by the operator's word of this moment
 * @param ownerUid whom their .git must belong to, for agents to commit; null where there is but one user
 */
record Repositories(List<Path> bases, Supplier<List<Path>> named, @Nullable Integer ownerUid) {

    /**
     * The real path of a repository that worktrees may be made of.
     *
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    Path require(Path repository) {
        try {
            Path real = repository.toRealPath();
            if (!isBelowABase(real) && !isNamed(real)) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + real
                        + " is not below a workspace base, and worker.repositories in brig.json does not have it");
            }
            Path gitFolder = real.resolve(".git");
            if (!Files.isDirectory(gitFolder, LinkOption.NOFOLLOW_LINKS)) {
                throw Fields.invalid("repository", "must be a git repository with a folder .git");
            }
            if (ownerUid != null && !ownerUid.equals(Files.getAttribute(gitFolder, "unix:uid"))) {
                throw Fields.invalid("repository", "must belong to the workers' user: chown -R " + ownerUid);
            }
            return real;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + repository + " cannot be reached");
        }
    }

    private boolean isBelowABase(Path real) throws IOException {
        for (Path base : bases) {
            Path top = base.toRealPath();
            if (real.startsWith(top) && !real.equals(top)) {
                return true;
            }
        }
        return false;
    }

    /** A name that leads nowhere now allows nothing. */
    private boolean isNamed(Path real) throws IOException {
        for (Path folder : named.get()) {
            if (Files.exists(folder) && real.startsWith(folder.toRealPath())) {
                return true;
            }
        }
        return false;
    }
}
