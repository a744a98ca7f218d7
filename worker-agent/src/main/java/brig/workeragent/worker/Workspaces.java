package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.Posture;
import brig.protocol.control.Provision;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.RootName;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import brig.protocol.spawn.TerminalSize;
import brig.workeragent.home.AgentHomes;
import brig.workeragent.image.Images;
import brig.workeragent.image.RootLayers;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Root;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import brig.workeragent.workspace.Lending;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Provides workspaces: an existing or a new folder, a git worktree, or a copy. A folder created for a spawn is deleted
 * with it if it is empty; below a scratch base also with its content. Blocks; thread-safe.
 *
 * <p>Decisions 0088, 0115, 0164.
 */
final class Workspaces {
    private static final Logger LOG = LoggerFactory.getLogger(Workspaces.class);

    private final Walls walls;
    private final MadeWorkspaces made;
    private final Images images;
    private final Path newFolders;
    private final List<Path> scratchBases;
    /** Guarded by the lock. */
    private final WorkspaceOwners tenants;

    private final ReentrantLock lock = new ReentrantLock();
    /** The folders that spawns work in. Guarded by the lock. */
    private final Map<Path, Use> uses = new HashMap<>();
    /** The folders that are being deleted with their content. Guarded by the lock. */
    private final Set<Path> going = new HashSet<>();

    /**
     * @param made how many folders of its path, from the end, were created for the first of these spawns
     * @param goes whether it is deleted with its content
     */
    private record Use(int spawns, int made, boolean goes) {}

    Workspaces(
            Walls walls,
            MadeWorkspaces made,
            Images images,
            Path newFolders,
            WorkspaceOwners tenants,
            List<Path> scratchBases) {
        this.walls = walls;
        this.made = made;
        this.images = images;
        this.newFolders = newFolders;
        this.tenants = tenants;
        this.scratchBases = scratchBases;
    }

    /**
     * The workspace of a spawn, and the root of its wall.
     *
     * @param mounts further mounts of its wall
     * @param refused run if the spawn is not started
     * @param ended run when nothing of the worker is left
     */
    record Workplace(Path folder, List<Confinement.Mount> mounts, Runnable refused, Runnable ended, Root root) {
        /** With the host's root. */
        Workplace(Path folder, List<Confinement.Mount> mounts, Runnable refused, Runnable ended) {
            this(folder, mounts, refused, ended, Root.HOST);
        }

        /** A copy with a root that is given back with it. */
        Workplace on(Images.Lease lease) {
            return new Workplace(
                    folder,
                    mounts,
                    () -> {
                        refused.run();
                        lease.close();
                    },
                    () -> {
                        ended.run();
                        lease.close();
                    },
                    lease.root());
        }

        /** A copy whose root can be written as long. */
        Workplace over(RootLayers.Lease lease) {
            return new Workplace(
                    folder,
                    mounts,
                    () -> {
                        lease.close();
                        refused.run();
                    },
                    () -> {
                        lease.close();
                        ended.run();
                    },
                    lease.root());
        }

        /** A copy that also closes another resource with the worker. */
        Workplace and(AutoCloseable further) {
            Runnable close = () -> {
                try {
                    further.close();
                } catch (Exception e) {
                    LOG.warn("not closed with its worker: {}", e.toString());
                }
            };
            Runnable all = () -> {
                close.run();
                ended.run();
            };
            return new Workplace(folder, mounts, refused, all, root);
        }

        /** Wraps the wall so that this place ends after it. */
        Wall around(Wall wall) {
            return new Wall() {
                @Override
                public WalledProcess start(
                        List<String> command, @Nullable String message, boolean stdinPipe, @Nullable TerminalSize tty)
                        throws InterruptedException {
                    return wall.start(command, message, stdinPipe, tty);
                }

                @Override
                public Posture measure() throws InterruptedException {
                    return wall.measure();
                }

                @Override
                public CompletableFuture<Integer> dial(int port) {
                    return wall.dial(port);
                }

                @Override
                public CompletableFuture<Boolean> listens(int port) {
                    return wall.listens(port);
                }

                @Override
                public void close() {
                    wall.close();
                    ended.run();
                }
            };
        }
    }

    /**
     * Whether the folder that a request names may be used; creates nothing.
     *
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code WORKSPACE_IN_USE}
     */
    void check(SpawnRequest request, Asker asker) {
        try (Images.Lease lease = images.lend(rootOf(request))) {
            images.layers().check(lease.root(), request.place().rootOverlay(), asker, AgentHomes.project(request));
        }
        if (request.workspace() != null) {
            walls.checkWorkspace(named(request.workspace()));
        }
        if (!isElsewhere(request)) {
            requireGranted(request, asker);
        }
    }

    /** Whether its repository is not on this host: it is brought before the spawn. */
    private static boolean isElsewhere(SpawnRequest request) {
        return request.workspaceMode().isWorktree() && request.place().host() != null;
    }

    /**
     * Checks that a repository may be lent to a spawn on another host.
     *
     * @param spawnId as for {@link brig.workeragent.workspace.Lending#allow}
     * @return the name of its mirrors
     */
    String lendable(@Nullable String spawnId, SpawnRequest request, Asker asker) {
        requireGranted(request, asker);
        return made.lending().allow(spawnId, named(request.repository()), asker);
    }

    /** Packs what a mirror of that repository lacks. */
    Lending.Loan lend(SpawnRequest request, Asker asker, List<String> privateFiles, List<String> have) {
        requireGranted(request, asker);
        return made.lending()
                .lend(
                        named(request.repository()),
                        asker,
                        request.workspaceMode() == WorkspaceMode.SNAPSHOT,
                        privateFiles,
                        have);
    }

    /** @throws BrigException {@code WORKSPACE_IN_USE} if the requester may not use the place that a request names */
    private void requireGranted(SpawnRequest request, Asker asker) {
        String place = request.workspaceMode().isWorktree() ? request.repository() : request.workspace();
        lock.lock();
        try {
            if (request.workspaceMode() != WorkspaceMode.FOLDER) {
                tenants.requireNotOfOthers(real(named(place)), asker, request.shareWorkspace());
            } else if (place != null || request.taskId() != null) {
                tenants.requireFree(
                        real(place != null ? named(place) : newFolders.resolve(request.taskId())),
                        asker,
                        request.shareWorkspace());
            }
        } finally {
            lock.unlock();
        }
    }

    /** The real path, whether or not all of it exists yet. */
    private static Path real(Path folder) {
        Path present = present(folder);
        try {
            return present.toRealPath().resolve(present.relativize(folder)).normalize();
        } catch (IOException unseen) {
            // Creating something there will fail with a reason.
            return folder;
        }
    }

    /** Not Files.exists: a dangling link exists. */
    private static Path present(Path folder) {
        Path present = folder;
        while (!Files.exists(present, LinkOption.NOFOLLOW_LINKS) && present.getParent() != null) {
            present = present.getParent();
        }
        return present;
    }

    /**
     * Takes the place that a request names.
     *
     * @param with what its worktree begins with besides the repository
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code WORKSPACE_IN_USE}, {@code INVALID_FIELD}, {@code
     *     COPY_UNAVAILABLE}, {@code UNKNOWN_IMAGE}
     */
    Workplace take(String spawnId, SpawnRequest request, Asker asker, Confinement confinement, Provision with) {
        Images.Lease root = images.lend(rootOf(request));
        try {
            return takeFolder(spawnId, request, asker, confinement, with).on(root);
        } catch (RuntimeException e) {
            root.close();
            throw e;
        }
    }

    /**
     * The same place with what a session may write over its image. What a session wrote is no part of its checkpoints, so a
     * fork begins with the image, and with nothing that is kept.
     *
     * @throws BrigException {@code ROOT_IN_USE}, {@code ROOT_CHANGED}, {@code DISK_FULL}
     */
    Workplace overlaid(
            Workplace place, String spawnId, SpawnRequest request, Asker asker, RootOverlay overlay, boolean isFork) {
        RootOverlay its = isFork && overlay == RootOverlay.KEEP ? RootOverlay.DISCARD : overlay;
        return place.over(images.layers().over(place.root(), its, spawnId, asker, AgentHomes.project(request)));
    }

    /** Takes a checkpoint of a spawn's worktree before each message, if its request wants that; null otherwise. */
    WorkerPlan.@Nullable Keeper keeper(String spawnId, SpawnRequest request, Timers timers) {
        return request.talk().checkpoints() == null
                ? null
                : outbox -> made.checkpoint(
                        spawnId,
                        Frame.Checkpoint.Cause.MESSAGE,
                        checkpoint -> SessionCheckpoints.tell(outbox, checkpoint, timers.nowMs()));
    }

    private static @Nullable RootName rootOf(SpawnRequest request) {
        String root = request.place().root();
        return root == null ? null : RootName.parse("root", root);
    }

    private Workplace takeFolder(
            String spawnId, SpawnRequest request, Asker asker, Confinement confinement, Provision with) {
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        MirrorStart start = with.start();
        if (request.workspaceMode().isWorktree() && start != null) {
            return ofItsOwn(
                    spawnId,
                    asker,
                    made.worktree(spawnId, taskId, named(request.repository()), start, confinement.privateFiles()));
        }
        if (isElsewhere(request)) {
            throw BrigException.invalid("repository", "is of another host and was not brought to this one");
        }
        requireGranted(request, asker);
        if (with.fork() != null) {
            return ofItsOwn(
                    spawnId, asker, made.fork(spawnId, taskId, with.fork().from(), asker, confinement.privateFiles()));
        }
        String workspace = request.workspace();
        return switch (request.workspaceMode()) {
            case FOLDER ->
                folder(
                        spawnId,
                        workspace == null ? newFolders.resolve(taskId) : named(workspace),
                        asker,
                        request.shareWorkspace());
            case WORKTREE, SNAPSHOT ->
                ofItsOwn(
                        spawnId,
                        asker,
                        made.worktree(
                                spawnId,
                                taskId,
                                named(request.repository()),
                                asker,
                                request.workspaceMode() == WorkspaceMode.SNAPSHOT,
                                confinement.privateFiles()));
            case COPY ->
                ofItsOwn(
                        spawnId,
                        asker,
                        made.copy(spawnId, taskId, existing(named(workspace)), confinement.privateFiles()));
        };
    }

    private static Path named(@Nullable String path) {
        return AgentHomes.notOne(
                Path.of(Objects.requireNonNull(path, "a request that was read has what its mode needs"))
                        .normalize());
    }

    private Path existing(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw BrigException.invalid("workspace", "must be a folder to copy, and there is none at " + folder);
        }
        return AgentHomes.notOne(walls.workspace(folder));
    }

    private Workplace ofItsOwn(String spawnId, Asker asker, MadeWorkspaces.Made place) {
        Once end = new Once(() -> {
            made.end(spawnId);
            lock.lock();
            try {
                tenants.leave(spawnId);
            } finally {
                lock.unlock();
            }
        });
        lock.lock();
        try {
            tenants.enter(spawnId, place.folder(), asker, true);
        } catch (BrigException refusal) {
            made.end(spawnId);
            throw refusal;
        } finally {
            lock.unlock();
        }
        return new Workplace(place.folder(), place.mounts(), end, end);
    }

    private Workplace folder(String spawnId, Path requested, Asker asker, boolean shares) {
        lock.lock();
        try {
            int missing = requested.getNameCount() - present(requested).getNameCount();
            // Before its creation, to create nothing in another's folder; and after it, as links may have changed.
            tenants.requireFree(real(requested), asker, shares);
            Path folder = AgentHomes.notOne(walls.workspace(requested));
            tenants.requireFree(folder, asker, shares);
            if (going.stream().anyMatch(folder::startsWith)) {
                throw new BrigException(
                        ErrorCode.WORKSPACE_IN_USE, folder + " is being removed with its last session: try again");
            }
            List<Confinement.Mount> mounts = made.mountsBeside(folder);
            tenants.enter(spawnId, folder, asker, missing > 0);
            uses.merge(
                    folder,
                    new Use(1, missing, missing > 0 && isScratch(folder)),
                    (use, one) -> new Use(use.spawns() + 1, use.made(), use.goes()));
            Once leave = new Once(() -> leave(spawnId, folder));
            return new Workplace(folder, mounts, leave, leave);
        } finally {
            lock.unlock();
        }
    }

    /** The last spawn in a folder deletes it, if it was created for it and is empty or a scratch folder. */
    private void leave(String spawnId, Path folder) {
        Use use = pass(spawnId, folder);
        if (use == null) {
            return;
        }
        if (use.goes()) {
            clear(folder);
        }
        lock.lock();
        try {
            going.remove(folder);
            Path empty = folder;
            for (int i = 0; i < use.made() && empty != null && !uses.containsKey(empty); i++) {
                Files.deleteIfExists(empty);
                empty = empty.getParent();
            }
        } catch (DirectoryNotEmptyException used) {
            LOG.debug("{} has something in it", folder);
        } catch (IOException e) {
            LOG.warn("an empty workspace was left: {}", e.toString());
        } finally {
            tenants.leave(spawnId);
            lock.unlock();
        }
    }

    /** Removes one use. @return the use for the last one, null if others work there, below or above it */
    private @Nullable Use pass(String spawnId, Path folder) {
        lock.lock();
        try {
            Use use = Objects.requireNonNull(uses.remove(folder), "somebody was in there");
            if (use.spawns() > 1) {
                uses.put(folder, new Use(use.spawns() - 1, use.made(), use.goes()));
            }
            if (use.spawns() > 1 || (use.goes() && tenants.hasOthers(spawnId, folder))) {
                tenants.leave(spawnId);
                return null;
            }
            if (use.goes()) {
                going.add(folder);
            }
            return use;
        } finally {
            lock.unlock();
        }
    }

    private boolean isScratch(Path folder) {
        return scratchBases.stream().anyMatch(base -> folder.startsWith(real(base)));
    }

    private void clear(Path folder) {
        try {
            made.clear(folder);
        } catch (IOException | BrigException e) {
            LOG.warn("{} stays, to be removed at the next start: {}", folder, e.getMessage());
        }
    }

    /** Deletes leftovers below scratch bases of a worker-agent that died. */
    void sweep() {
        List<Path> left;
        lock.lock();
        try {
            left = tenants.abandoned().stream().filter(this::isScratch).toList();
            going.addAll(left);
        } finally {
            lock.unlock();
        }
        for (Path folder : left) {
            clear(folder);
            lock.lock();
            try {
                going.remove(folder);
                Files.deleteIfExists(folder);
                tenants.forget(folder);
            } catch (IOException e) {
                LOG.warn("{} stays: {}", folder, e.toString());
            } finally {
                lock.unlock();
            }
        }
    }

    /** After a refused start both the wall and its builder may release the place. */
    private static final class Once implements Runnable {
        private final AtomicBoolean done = new AtomicBoolean();
        private final Runnable action;

        Once(Runnable action) {
            this.action = action;
        }

        @Override
        public void run() {
            if (done.compareAndSet(false, true)) {
                action.run();
            }
        }
    }
}
