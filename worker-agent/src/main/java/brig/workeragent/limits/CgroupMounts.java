package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The position of this process in the cgroup hierarchies.
 *
 * @param version1 own folder by controller, for controllers that are mounted as cgroup v1
 * @param version2 own folder in the unified hierarchy, if that is mounted
 */
record CgroupMounts(Map<String, Path> version1, @Nullable Path version2) {

    /** Formats: proc(5) for {@code /proc/self/mountinfo}, cgroups(7) for {@code /proc/self/cgroup}. */
    static CgroupMounts read() throws LimitsUnavailableException {
        try {
            return parse(
                    Files.readAllLines(Path.of("/proc/self/mountinfo")),
                    Files.readAllLines(Path.of("/proc/self/cgroup")));
        } catch (IOException unreadable) {
            throw new LimitsUnavailableException("cannot read where cgroups are mounted: " + unreadable.getMessage());
        }
    }

    static CgroupMounts parse(List<String> mountinfo, List<String> ownGroups) {
        var version1 = new HashMap<String, Path>();
        Path version2 = null;
        for (String line : mountinfo) {
            String[] halves = line.split(" - ", 2);
            String[] front = halves[0].split(" ", -1);
            String[] back = halves.length == 2 ? halves[1].split(" ") : new String[0];
            if (front.length < 5 || back.length < 3) continue;
            Path mountPoint = Path.of(front[4]);
            if (back[0].equals("cgroup2")) {
                version2 = ownFolder(mountPoint, "", ownGroups);
            } else if (back[0].equals("cgroup")) {
                for (String controller : back[2].split(",", -1)) {
                    version1.put(controller, ownFolder(mountPoint, controller, ownGroups));
                }
            }
        }
        return new CgroupMounts(Map.copyOf(version1), version2);
    }

    /** In a container the path that the kernel reports may lie outside of the mount: then the mount itself is ours. */
    private static Path ownFolder(Path mountPoint, String controller, List<String> ownGroups) {
        for (String line : ownGroups) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3 || !List.of(parts[1].split(",", -1)).contains(controller)) continue;
            Path folder = mountPoint.resolve(parts[2].substring(1)).normalize();
            if (folder.startsWith(mountPoint) && Files.isDirectory(folder)) return folder;
        }
        return mountPoint;
    }
}
