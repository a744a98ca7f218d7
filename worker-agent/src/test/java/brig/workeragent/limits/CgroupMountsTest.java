package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class CgroupMountsTest {
    @TempDir
    Path root;

    private String version2() {
        return "30 24 0:26 / " + root.resolve("unified") + " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
    }

    private String version1(String controllers) {
        return "31 24 0:27 / " + root.resolve(controllers) + " rw,nosuid shared:5 - cgroup cgroup rw," + controllers;
    }

    @Test
    void shouldFindOwnGroupInTheUnifiedTree() throws IOException {
        Path own = Files.createDirectories(root.resolve("unified/system.slice/run-1.scope"));
        CgroupMounts mounts = CgroupMounts.parse(List.of(version2()), List.of("0::/system.slice/run-1.scope"));
        assertEquals(own, mounts.version2());
        assertEquals(0, mounts.version1().size());
    }

    @Test
    void shouldFindOwnGroupsOfEachController() throws IOException {
        Path own = Files.createDirectories(root.resolve("cpu,cpuacct/user"));
        CgroupMounts mounts =
                CgroupMounts.parse(List.of(version1("cpu,cpuacct")), List.of("2:cpu,cpuacct:/user", "0::/"));
        assertEquals(own, mounts.version1().get("cpu"));
        assertEquals(own, mounts.version1().get("cpuacct"));
        assertNull(mounts.version2());
    }

    @Test
    void shouldTakeTheMountWhenTheKernelNamesAPathOutsideOfIt() {
        assertEquals(
                root.resolve("unified"),
                CgroupMounts.parse(List.of(version2()), List.of("0::/../other")).version2());
        assertEquals(
                root.resolve("unified"),
                CgroupMounts.parse(List.of(version2()), List.of("0::/docker/not-visible"))
                        .version2());
    }
}
