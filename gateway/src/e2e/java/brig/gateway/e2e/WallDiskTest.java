package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.spawn.WallKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk that one session fills, behind each wall: nobody else's work ends. */
@Timeout(180)
@Tag("slow")
class WallDiskTest {
    private static Spawned spawn(Product product, WallKind wall, String name) throws IOException {
        return new Spawned(
                product,
                product.ask(new String(
                        Json.write(Map.of(
                                "action",
                                "spawn",
                                "task_id",
                                name,
                                "agent_config",
                                Map.of("name", "shell"),
                                "wall",
                                wall.word())),
                        StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource(WallKind.class)
    void shouldEndWhoFillsTheDiskAndNobodyElse(WallKind wall) throws IOException {
        Product.requireRoot("a mount namespace");
        assumeTrue(SecondKernels.areHere(wall), "the build found no gVisor, or no QEMU and kernel");
        try (Product product = Product.prepare(Map.of())) {
            SecondKernels.giveTo(product);
            String work = product.workspaces().toString();
            product.inMountNamespace("mkdir -p " + work + "; mount -t tmpfs -o size=128m,mode=755 brig-e2e " + work);
            product.serve();
            Spawned hog = spawn(product, wall, "hog");
            Spawned other = spawn(product, wall, "other");
            try (Wire first = hog.captain();
                    Wire second = other.captain()) {
                Frames fills = new Frames().readUntilType(first, "state");
                Frames works = new Frames().readUntilType(second, "state");
                second.sendLine(Spawned.user("echo before > file; cat file"));
                works.readUntilType(second, "done");
                // More than there is: the disk is full before anybody looks.
                first.sendLine(Spawned.user("cat /dev/zero > much; echo stays; exec sleep 1000"));
                fills.readAll(first);
                assertEquals("DISK_FULL", fills.ofType("error").getFirst().text("code", ""));
                // Somebody makes room.
                Files.delete(Path.of("/proc/" + product.process().pid() + "/root" + hog.workspace() + "/much"));
                second.sendLine(Spawned.user("echo after >> file; cat file"));
                works.readUntilType(second, "done");
                assertTrue(works.text().endsWith("before\nafter\n"), works::text);
            }
        }
    }
}
