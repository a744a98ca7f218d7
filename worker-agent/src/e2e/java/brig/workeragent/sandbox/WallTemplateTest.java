package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WallTemplateTest {
    private static final String ROOT = "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw";
    private static final String RUN = "25 27 0:23 / /run rw,nosuid,nodev,noexec,relatime shared:5 - tmpfs tmpfs rw";
    private static final String OF_USER = "60 25 0:40 / /run/user/1000 rw,nosuid,nodev shared:9 - tmpfs tmpfs rw";

    @Test
    void shouldSeeNoexecOfTheMountThatHoldsTheFolder() {
        List<String> mounts = List.of(ROOT, RUN, OF_USER);
        assertFalse(WallTemplate.mayExecute(Path.of("/run/brig/wall"), mounts));
        assertTrue(WallTemplate.mayExecute(Path.of("/run/user/1000/brig/wall"), mounts));
        assertTrue(WallTemplate.mayExecute(Path.of("/runner/wall"), mounts));
        assertTrue(WallTemplate.mayExecute(Path.of("/var/lib/brig"), mounts));
    }

    @Test
    void shouldTakeTheUpperOfTwoMountsOnOnePlace() {
        String upper = "99 25 0:50 / /run rw,nosuid shared:5 - tmpfs tmpfs rw";
        assertTrue(WallTemplate.mayExecute(Path.of("/run/brig"), List.of(ROOT, RUN, upper)));
        assertFalse(WallTemplate.mayExecute(Path.of("/run/brig"), List.of(ROOT, upper, RUN)));
    }

    /** As on a host whose /run is noexec: the wall's files are on such a mount, brig-init is not. */
    @Test
    void shouldBuildWallsWhenTheRuntimeFolderIsMountedNoexec() throws Exception {
        Path folder = TestFolders.create("brig-noexec");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assumeTrue(
                succeeds("mount", "-t", "tmpfs", "-o", "noexec,mode=755", "none", folder.toString()),
                "SKIPPED: only root can mount");
        try {
            WorkerIdentity identity = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
            WallTemplate template = WallTemplate.install(folder.resolve("wall"), WallFixture.nativeFolder(), identity);
            assertEquals(WallFixture.nativeFolder().resolve("brig-init"), template.init());
        } finally {
            assertTrue(succeeds("umount", folder.toString()));
            Files.delete(folder);
        }
    }

    @Test
    void shouldBeginAnewWhenAWorkerAgentWasKilledWhileItWrote() throws Exception {
        Path folder = TestFolders.create("brig-killed");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path wall = Files.createDirectories(folder.resolve("wall/etc.new/ssl"))
                .getParent()
                .getParent();
        Files.writeString(wall.resolve("etc.new/ssl/half"), "-----BEGIN");
        Files.writeString(wall.resolve("brig-init1.new"), "half");
        WorkerIdentity identity = WorkerIdentity.ofHost(WorkerIdentity.DEFAULT_UID);
        WallTemplate.install(wall, WallFixture.nativeFolder(), identity);
        try (var unfinished = Files.newDirectoryStream(wall, "*.new")) {
            assertFalse(unfinished.iterator().hasNext());
        }
        WallEtc.remove(folder);
    }

    private static boolean succeeds(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
