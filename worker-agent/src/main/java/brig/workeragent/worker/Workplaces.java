package brig.workeragent.worker;

import brig.protocol.SpawnRequest;
import brig.workeragent.posture.Posture;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import brig.workeragent.workspace.Worktrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where agents work: a folder that is there or is made, or a git worktree. Blocks; any thread may call. */
final class Workplaces {
    private static final Logger LOG = LoggerFactory.getLogger(Workplaces.class);

    private final Walls walls;
    private final Worktrees worktrees;
    private final Path newFolders;

    Workplaces(Walls walls, Worktrees worktrees, Path newFolders) {
        this.walls = walls;
        this.worktrees = worktrees;
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
        /** The wall, with the end of this place behind its own. */
        Wall around(Wall wall) {
            return new Wall() {
                @Override
                public WalledProcess start(List<String> command, boolean stdinPipe) throws InterruptedException {
                    return wall.start(command, stdinPipe);
                }

                @Override
                public Posture measure() throws InterruptedException {
                    return wall.measure();
                }

                @Override
                public void close() {
                    wall.close();
                    ended.run();
                }
            };
        }
    }

    /** @throws brig.protocol.BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD} */
    Workplace take(String spawnId, SpawnRequest request, Confinement confinement) {
        String taskId = request.taskId() == null ? spawnId : request.taskId();
        String repository = request.repository();
        if (repository != null) {
            Worktrees.Made made = worktrees.make(
                    spawnId, taskId, Path.of(repository).normalize(), confinement.privateFiles());
            return new Workplace(made.folder(), made.mounts(), () -> {}, () -> worktrees.end(spawnId));
        }
        String workspace = request.workspace();
        Path requested = workspace == null ? newFolders.resolve(taskId) : Path.of(workspace).normalize();
        boolean missing = !Files.exists(requested, LinkOption.NOFOLLOW_LINKS);
        Path folder = walls.workspace(requested);
        return new Workplace(folder, List.of(), missing ? () -> discard(folder) : () -> {}, () -> {});
    }

    private static void discard(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.warn("a workspace of a refused spawn was left: {}", e.toString());
        }
    }
}
