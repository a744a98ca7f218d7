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
 * @param ownerUid whom their .git must belong to, for agents to commit; null where there is but one user, whose own
 *     repositories are open to who may change the configuration anyway
 */
record Repositories(List<Path> bases, Supplier<List<Path>> named, @Nullable Integer ownerUid) {

    /**
     * The real path of a repository that worktrees may be made of.
     *
     * @param admin whether an admin asks
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    Path require(Path repository, boolean admin) {
        try {
            Path real = repository.toRealPath();
            if (!isBelowABase(real) && !isNamed(real) && !(admin && isOfThePerson(real))) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + real
                        + " is not below a workspace base, and worker.repositories in brig.json does not have it:"
                        + " brig repository add " + real);
            }
            Path gitFolder = real.resolve(".git");
            if (!Files.isDirectory(gitFolder, LinkOption.NOFOLLOW_LINKS)) {
                throw Fields.invalid("repository", "must be a git repository with a folder .git");
            }
            if (ownerUid != null && !ownerUid.equals(Files.getAttribute(gitFolder, "unix:uid"))) {
                throw Fields.invalid("repository", "belongs to uid " + Files.getAttribute(gitFolder, "unix:uid")
                        + ", and agents of root's gateway write as uid " + ownerUid
                        + ": run brig as that user, whose own gateway works"
                        + " on it, or give the agents a clone of their own, which is uid " + ownerUid + "'s");
            }
            return real;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + repository + " cannot be reached");
        }
    }

    /** On a person's own gateway: what the person could give to an agent by a line in brig.json. */
    private boolean isOfThePerson(Path real) throws IOException {
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Path git = real.resolve(".git");
        return ownerUid == null && self.equals(Files.getAttribute(real, "unix:uid"))
                && (!Files.exists(git, LinkOption.NOFOLLOW_LINKS)
                        || self.equals(Files.getAttribute(git, "unix:uid", LinkOption.NOFOLLOW_LINKS)));
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
