package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.Fields;
import brig.protocol.SpawnRequest;
import brig.protocol.SpawnRequest.WorkspaceMode;
import brig.workeragent.posture.Posture;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where agents work: a folder that is there or is made, a git worktree, or a copy. A folder that was made for a spawn,
 * and that nobody put anything into, goes with it. Blocks; any thread may call.
 */
final class Workplaces {
    private static final Logger LOG = LoggerFactory.getLogger(Workplaces.class);

    private final Walls walls;
    private final MadeWorkspaces made;
    private final Path newFolders;
    private final ReentrantLock lock = new ReentrantLock();
    /** The folders that spawns work in. Guarded by the lock. */
    private final Map<Path, Use> uses = new HashMap<>();

    /** @param made how many folders of its path were made for the first of these spawns, from the end */
    private record Use(int spawns, int made) {}

    Workplaces(Walls walls, MadeWorkspaces made, Path newFolders) {
        this.walls = walls;
        this.made = made;
        this.newFolders = newFolders;
    }

    /**
     * What a spawn works in.
     *
     * @param mounts what its wall needs beside the folder
     * @param refused to be run where nothing came of the spawn
     * @param ended to be run when nothing of the worker is left
     */
    record Workplace(Path folder, List<Confinement.Mount> mounts, Runnable refused, Runnable ended) {
        /** The same, with something more that is over when the worker is. */
        Workplace and(AutoCloseable further) {
            Runnable close = () -> {
                try {
                    further.close();
                } catch (Exception e) {
                    LOG.warn("not closed with its worker: {}", e.toString());
                }
            };
            return new Workplace(folder, mounts, refused, () -> {
                close.run();
                ended.run();
            });
        }

        /** The wall, with the end of this place behind its own. */
        Wall around(Wall wall) {
            return new Wall() {
                @Override
                public WalledProcess start(List<String> command, @Nullable String message, boolean stdinPipe) throws InterruptedException {
                    return wall.start(command, message, stdinPipe);
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
                public void close() {
                    wall.close();
                    ended.run();
                }
            };
        }
    }

    /** Whether the folder that a request names may be used; nothing is made. @throws BrigException {@code WORKSPACE_OUTSIDE_BASE} */
    void check(SpawnRequest request) {
        if (request.workspace() != null) {
            walls.checkWorkspace(named(request.workspace()));
        }
    }

    /** @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}, {@code COPY_UNAVAILABLE} */
    Workplace take(String spawnId, SpawnRequest request, Confinement confinement) {
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        String workspace = request.workspace();
        return switch (request.workspaceMode()) {
            case FOLDER -> folder(workspace == null ? newFolders.resolve(taskId) : named(workspace));
            case WORKTREE, SNAPSHOT -> ofItsOwn(spawnId, made.worktree(spawnId, taskId,
                    named(request.repository()), request.workspaceMode() == WorkspaceMode.SNAPSHOT, confinement.privateFiles()));
            case COPY -> ofItsOwn(spawnId,
                    made.copy(spawnId, taskId, existing(named(workspace)), confinement.privateFiles()));
        };
    }

    private static Path named(@Nullable String path) {
        return Homes.notOne(
                Path.of(Objects.requireNonNull(path, "a request that was read has what its mode needs")).normalize());
    }

    private Path existing(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw Fields.invalid("workspace", "must be a folder to copy, and there is none at " + folder);
        }
        return Homes.notOne(walls.workspace(folder));
    }

    private Workplace ofItsOwn(String spawnId, MadeWorkspaces.Made place) {
        Once end = new Once(() -> made.end(spawnId));
        return new Workplace(place.folder(), place.mounts(), end, end);
    }

    private Workplace folder(Path requested) {
        lock.lock();
        try {
            Path present = requested;
            while (!Files.exists(present, LinkOption.NOFOLLOW_LINKS) && present.getParent() != null) {
                present = present.getParent();
            }
            int missing = requested.getNameCount() - present.getNameCount();
            Path folder = Homes.notOne(walls.workspace(requested));
            List<Confinement.Mount> mounts = made.mountsBeside(folder);
            uses.merge(folder, new Use(1, missing), (use, one) -> new Use(use.spawns() + 1, use.made()));
            Once leave = new Once(() -> leave(folder));
            return new Workplace(folder, mounts, leave, leave);
        } finally {
            lock.unlock();
        }
    }

    /** The last one out removes what was made for this and is still empty. */
    private void leave(Path folder) {
        lock.lock();
        try {
            Use use = Objects.requireNonNull(uses.remove(folder), "somebody was in there");
            if (use.spawns() > 1) {
                uses.put(folder, new Use(use.spawns() - 1, use.made()));
                return;
            }
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
            lock.unlock();
        }
    }

    /** Where a start is refused, both the wall and its builder may give the place back. */
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
