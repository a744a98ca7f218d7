package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.wall.Confinement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of another host that is mounted here. When its link ends, for whatever reason, what is under way in it fails
 * with EIO and all later use with ENOTCONN, and the mount is taken away. Thread-safe.
 */
public final class RemoteFolder implements AutoCloseable {
    private static final int POLL_MS = 10;
    private static final int END_MS = 3000;
    private static final Logger LOG = LoggerFactory.getLogger(RemoteFolder.class);

    private final Sshfs sshfs;
    private final FarLink link;
    private final Process client;
    private final Path point;
    private final FarPath root;
    private final PrivateNames names;
    private final SftpFilter filter;
    private final CompletableFuture<String> gone = new CompletableFuture<>();

    RemoteFolder(
            Sshfs sshfs,
            FarLink link,
            Process client,
            Path point,
            FarPath root,
            PrivateNames names,
            SftpFilter filter) {
        this.sshfs = sshfs;
        this.link = link;
        this.client = client;
        this.point = point;
        this.root = root;
        this.names = names;
        this.filter = filter;
        var _ = link.ended().thenAccept(reason -> Thread.ofVirtual().start(() -> takeAway(reason)));
    }

    /** The real path of the folder on the far side. */
    public Path farPath() {
        return Path.of(root.text());
    }

    /** Where it is mounted on this host. */
    public Path mountPoint() {
        return point;
    }

    /** The mount for a wall, at the same path as on the far side. */
    public Confinement.Mount mount(boolean readOnly) {
        return new Confinement.Mount(point, farPath(), readOnly);
    }

    /** To be called when a command on the far side has ended: it may have changed any file. */
    public void forget() {
        link.locked(filter::forget);
    }

    /**
     * Makes these files private from now on, whatever their names: other hard links of private files, which only a
     * command on the far side can find. Files that are open stay open.
     *
     * @param files absolute paths of the far side; those that are not in the folder do not matter
     */
    public void hide(Collection<String> files) {
        List<FarPath> hidden = new ArrayList<>();
        for (String file : files) {
            FarPath path = root.within(file.getBytes(UTF_8));
            if (path != null && !path.equals(root)) {
                hidden.add(path);
            }
        }
        names.add(hidden);
        forget();
    }

    /** Completed when it is not mounted any more, with the reason. */
    public CompletableFuture<String> ended() {
        return gone;
    }

    /** Unmounts it, after what sshfs still has to write is written. Waits for the end. */
    @Override
    public void close() {
        sshfs.unmount(point, false);
        if (!exited(client)) {
            sshfs.unmount(point, true);
        }
        link.end("unmounted");
        gone.join();
    }

    /** Whether it is mounted before the deadline. The kernel tells of no new mount, so its table is read repeatedly. */
    boolean awaitMounted(Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        try {
            while (!link.ended().isDone() && System.nanoTime() < end) {
                if (MountTable.isMounted(point)) {
                    return true;
                }
                var _ = client.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
            }
        } catch (IOException | InterruptedException e) {
            link.end("the mount is not to be seen");
        }
        return false;
    }

    private void takeAway(String reason) {
        LOG.info("the folder of another host at {} is taken away: {}", point, reason);
        try {
            // It has seen the end of its pipe, fails what waits, and unmounts; this is for one that does not.
            if (!exited(client)) {
                client.toHandle().destroyForcibly();
            }
            if (MountTable.isMounted(point)) {
                sshfs.unmount(point, true);
            }
            RemoteFolders.removePoint(point);
        } catch (IOException e) {
            LOG.warn("whether {} is still mounted is not known", point);
        } finally {
            gone.complete(reason);
        }
    }

    private static boolean exited(Process process) {
        try {
            return process.waitFor(END_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
