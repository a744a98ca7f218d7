package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Limits for resources that the kernel counts per host user. All workers have one user, so each worker gets a share.
 * Without that, one worker could exhaust a resource for the others, and on a personal gateway for the person's
 * programs. Set in the user namespace of a wall, where they also cover all namespaces below: the kernel counts upwards.
 *
 * <p>Decision 0110.
 */
public final class UserCounts {

    private static final Path FOLDER = Path.of("/proc/sys/user");
    private static final String INSTANCES = "max_inotify_instances";
    private static final String WATCHES = "max_inotify_watches";
    /** A program uses one or two. No worker needs more than this, however much the host allows. */
    private static final int INSTANCES_MAX = 64;

    private static final int INSTANCES_SHARE = 8;
    /** One per watched file or folder, so a large workspace needs many. */
    private static final int WATCHES_SHARE = 4;
    /** For a wall that permits nested namespaces; in all others none can be created. */
    private static final List<String> NAMESPACES = List.of(
            "max_cgroup_namespaces",
            "max_ipc_namespaces",
            "max_mnt_namespaces",
            "max_net_namespaces",
            "max_pid_namespaces",
            "max_time_namespaces",
            "max_user_namespaces",
            "max_uts_namespaces");

    private static final int NAMESPACES_SHARE = 8;

    private final SortedMap<String, Long> ofUser;

    private UserCounts(SortedMap<String, Long> ofUser) {
        this.ofUser = ofUser;
    }

    /** Reads the limits of a user of this host. */
    public static UserCounts ofHost() throws LimitsUnavailableException {
        return read(FOLDER);
    }

    static UserCounts read(Path folder) throws LimitsUnavailableException {
        var counts = new TreeMap<String, Long>();
        var names = new ArrayList<>(NAMESPACES);
        names.add(INSTANCES);
        names.add(WATCHES);
        for (String name : names) {
            try {
                // Not readString: it reads a byte first, and older kernels return a setting to the first read only.
                counts.put(
                        name,
                        Long.parseLong(Files.readAllLines(folder.resolve(name))
                                .getFirst()
                                .trim()));
            } catch (NoSuchFileException notCounted) {
                // The kernel lacks the resource, or does not count it per user.
            } catch (IOException | NumberFormatException unreadable) {
                throw new LimitsUnavailableException("cannot read " + folder.resolve(name) + ": " + unreadable);
            }
        }
        return new UserCounts(counts);
    }

    /**
     * A worker's shares by file name in {@code /proc/sys/user}, at least 1 each.
     *
     * @param nested whether it may create namespaces
     */
    public SortedMap<String, Long> ofWorker(boolean nested) {
        var shares = new TreeMap<String, Long>();
        ofUser.forEach((name, most) -> {
            if (name.equals(INSTANCES)) shares.put(name, Math.min(share(most, INSTANCES_SHARE), INSTANCES_MAX));
            else if (name.equals(WATCHES)) shares.put(name, share(most, WATCHES_SHARE));
            else if (nested) shares.put(name, share(most, NAMESPACES_SHARE));
        });
        return shares;
    }

    /** A worker's limit of inotify instances; 0 if the kernel does not count them. */
    public long inotifyInstances() {
        return ofWorker(false).getOrDefault(INSTANCES, 0L);
    }

    /** The limit of inotify instances for the workers' user in total. */
    public long inotifyInstancesOfUser() {
        return ofUser.getOrDefault(INSTANCES, 0L);
    }

    private static long share(long most, int divisor) {
        return Math.max(1, most / divisor);
    }
}
