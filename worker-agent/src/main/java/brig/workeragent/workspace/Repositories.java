package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
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
 * Which repositories worktrees may be made of.
 *
 * <p>Decisions 0074, 0121.
 *
 * @param bases below which they may lie
 * @param named where else they may be, by the operator's word of this moment
 * @param workersUid whose .git agents can commit to; null where there is but one user, whose own repositories are open to who
 *     may change the configuration anyway
 */
record Repositories(
        List<Path> bases,
        Supplier<List<Path>> named,
        @Nullable Integer workersUid) {
    /**
     * One that worktrees may be made of.
     *
     * @param folder its real path
     * @param lender its owner, where that is not the workers' user: only as him it is looked at and changed
     */
    record Found(Path folder, @Nullable HostUser lender) {}

    /**
     * Looks for a repository that worktrees may be made of.
     *
     * @param asker who asks: another user's repository is for that user's captains and for admins
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
                throw Fields.invalid("repository", "must be a git repository with a folder .git");
            }
            HostUser lender = lenderOf(real);
            if (lender != null && !asker.admin() && !asker.captain().equals("uid:" + lender.uid())) {
                throw Fields.invalid(
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
     * Whose .git it is, where that is neither the workers' user nor who runs this.
     *
     * @throws BrigException {@code INVALID_FIELD} where nobody could be trusted with it but root
     */
    @Nullable
    HostUser lenderOf(Path real) throws IOException {
        Map<String, Object> git = Files.readAttributes(real.resolve(".git"), "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
        if (workersUid == null || workersUid.equals(git.get("uid"))) {
            return null;
        }
        if (!(git.get("uid") instanceof Integer uid && uid > 0 && git.get("gid") instanceof Integer gid && gid > 0)) {
            throw Fields.invalid(
                    "repository",
                    "belongs to uid " + git.get("uid") + " and gid " + git.get("gid")
                            + ", and nothing is done with root's rights on what agents see: give them a clone of another user's");
        }
        return new HostUser(uid, gid);
    }

    /** On a person's own gateway: what the person could give to an agent by a line in brig.json. */
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
