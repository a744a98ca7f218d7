package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A folder that behaves like a tree of cgroup v2: new groups have files, and one with a process stays. */
final class FakeGroups implements GroupFolders {
    private static final Map<String, String> FILES = Map.of(
            "cgroup.procs",
            "",
            "memory.max",
            "max\n",
            "memory.swap.max",
            "max\n",
            "memory.oom.group",
            "0\n",
            "pids.max",
            "max\n",
            "cpu.max",
            "max 100000\n",
            "memory.events",
            "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n");

    final Path own;
    boolean swap = true;

    /** @param controllers what is delegated */
    FakeGroups(Path root, String controllers) throws IOException {
        own = Files.createDirectories(root.resolve("run-1.scope"));
        Files.writeString(own.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(own.resolve("cgroup.subtree_control"), "\n");
        Files.writeString(own.resolve("cgroup.procs"), ProcessHandle.current().pid() + "\n");
    }

    CgroupMounts mounts() {
        return new CgroupMounts(Map.of(), own);
    }

    String read(String name) throws IOException {
        return Files.readString(own.resolve(name)).trim();
    }

    /** Writes to subtree_control are refused, as while a process stands in the group: EISDIR for EBUSY. */
    void refuseControllers() throws IOException {
        Files.delete(own.resolve("cgroup.subtree_control"));
        Files.createDirectory(own.resolve("cgroup.subtree_control"));
    }

    /** Names of the groups below. */
    List<String> groups() throws IOException {
        try (Stream<Path> found = Files.list(own)) {
            return found.filter(group -> Files.exists(group.resolve("cgroup.procs")))
                    .map(group -> String.valueOf(group.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void make(Path folder) throws IOException {
        Files.createDirectory(folder);
        for (var file : FILES.entrySet()) {
            if (swap || !file.getKey().equals("memory.swap.max")) {
                Files.writeString(folder.resolve(file.getKey()), file.getValue());
            }
        }
    }

    @Override
    public void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        boolean left = Files.readAllLines(folder.resolve("cgroup.procs")).stream()
                .anyMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).isPresent()
                        && Long.parseLong(pid) != ProcessHandle.current().pid());
        if (left) throw new IOException("Device or resource busy");
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
        }
    }
}
