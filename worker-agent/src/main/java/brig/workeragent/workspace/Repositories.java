package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The repositories that worktrees may be made from.
 *
 * <p>Decisions 0074, 0121.
 *
 * @param bases below which they may lie
 * @param named further places, from the operator's current configuration
 * @param workersUid the user whose .git agents can commit to; null with a single user, whose repositories are open to
 *     anybody who can change the configuration
 */
record Repositories(
        List<Path> bases,
        Supplier<List<Path>> named,
        @Nullable Integer workersUid) {
    /**
     * A permitted repository.
     *
     * @param folder its real path
     * @param lender its owner, if that is not the workers' user; it is only read and changed as that user
     */
    record Found(Path folder, @Nullable HostUser lender) {}

    /**
     * Checks that worktrees may be made from a repository.
     *
     * @param asker the requester: another user's repository is for that user's captains and for admins
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}
     */
    Found require(Path repository, SpawnRequest.Asker asker) {
        try {
            Path real = repository.toRealPath();
            if (!isBelowABase(real) && !isNamed(real) && !(asker.admin() && isOfThePerson(real))) {
                throw new BrigException(
                        ErrorCode.WORKSPACE_OUTSIDE_BASE,
                        "repository " + real
                                + " is not below a workspace base, and worker.repositories in brig.json does not have it:"
                                + " brig repository add " + real);
            }
            Path gitFolder = real.resolve(".git");
            if (!Files.isDirectory(gitFolder, LinkOption.NOFOLLOW_LINKS)) {
                throw BrigException.invalid("repository", "must be a git repository with a folder .git");
            }
            HostUser lender = lenderOf(real);
            if (lender != null && !asker.admin() && !asker.captain().equals("uid:" + lender.uid())) {
                throw BrigException.invalid(
                        "repository",
                        "belongs to uid " + lender.uid() + ": only that user, or an admin, may let agents work on it");
            }
            return new Found(real, lender);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKSPACE_OUTSIDE_BASE, "repository " + repository + " cannot be reached");
        }
    }

    /**
     * The owner of its .git, if that is neither the workers' user nor our own.
     *
     * @throws BrigException {@code INVALID_FIELD} if only root could be trusted with it
     */
    @Nullable
    HostUser lenderOf(Path real) throws IOException {
        Map<String, Object> git = Files.readAttributes(real.resolve(".git"), "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
        if (workersUid == null || workersUid.equals(git.get("uid"))) {
            return null;
        }
        if (!(git.get("uid") instanceof Integer uid && uid > 0 && git.get("gid") instanceof Integer gid && gid > 0)) {
            throw BrigException.invalid(
                    "repository",
                    "belongs to uid " + git.get("uid") + " and gid " + git.get("gid")
                            + ", and nothing is done with root's rights on what agents see: give them a clone of another user's");
        }
        return new HostUser(uid, gid);
    }

    /** On a personal gateway: whatever the person could open to agents in brig.json. */
    private boolean isOfThePerson(Path real) throws IOException {
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Path git = real.resolve(".git");
        return workersUid == null
                && self.equals(Files.getAttribute(real, "unix:uid"))
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

    /** A name that does not resolve now permits nothing. */
    private boolean isNamed(Path real) throws IOException {
        for (Path folder : named.get()) {
            if (Files.exists(folder) && real.startsWith(folder.toRealPath())) {
                return true;
            }
        }
        return false;
    }
}
