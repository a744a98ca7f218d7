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
 * What the kernel counts for each user of the host. All workers have one user, so a worker is held to a share of what
 * that user may have: without that, one could take all, and the others, and on a person's own gateway his programs, get
 * none. Set in the user namespace of a wall, where it holds for all namespaces below too: the kernel counts upwards.
 *
 * <p>Decision 0110.
 */
public final class UserCounts {

    private static final Path FOLDER = Path.of("/proc/sys/user");
    private static final String INSTANCES = "max_inotify_instances";
    private static final String WATCHES = "max_inotify_watches";
    /** A program has one or two. More than so many need no worker, however much the host gives. */
    private static final int INSTANCES_MAX = 64;

    private static final int INSTANCES_SHARE = 8;
    /** One for each file or folder that is watched, so that a large workspace needs many. */
    private static final int WATCHES_SHARE = 4;
    /** Where a wall has namespaces inside; in all others none can be made. */
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

    /** Reads what a user of this host may have. */
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
                // Not readString: it reads a byte first, and older kernels give a setting to the first read only.
                counts.put(
                        name,
                        Long.parseLong(Files.readAllLines(folder.resolve(name))
                                .getFirst()
                                .trim()));
            } catch (NoSuchFileException notCounted) {
                // A kernel that does not have the thing, or does not count it for users.
            } catch (IOException | NumberFormatException unreadable) {
                throw new LimitsUnavailableException("cannot read " + folder.resolve(name) + ": " + unreadable);
            }
        }
        return new UserCounts(counts);
    }

    /**
     * What a worker may have: by the name of a file of {@code /proc/sys/user}, at least 1.
     *
     * @param nested whether it may make namespaces
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

    /** How many instances of inotify a worker may have; 0 where the kernel does not count them. */
    public long inotifyInstances() {
        return ofWorker(false).getOrDefault(INSTANCES, 0L);
    }

    /** How many of that the user of the workers may have, with all that runs under it. */
    public long inotifyInstancesOfUser() {
        return ofUser.getOrDefault(INSTANCES, 0L);
    }

    private static long share(long most, int divisor) {
        return Math.max(1, most / divisor);
    }
}
