package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a wall was found to enforce, from the measurement inside to everybody who may ask. */
@Timeout(60)
class PostureTest {
    private static final String SHELL = "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"}";

    private static List<String> properties(JsonObject posture) {
        return posture.objects("properties").stream()
                .map(property -> property.text("name", "") + " " + property.text("status", ""))
                .toList();
    }

    private static JsonObject status(Product product, Spawned spawn) throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"" + spawn.id() + "\"}");
    }

    @Test
    void shouldShowPostureOnEveryWayInAndAfterRestart() throws IOException {
        try (Product product = Product.start()) {
            // Nothing runs yet: the wall was built once around nothing.
            Spawned spawn = product.spawn("shell", null, false);
            JsonObject posture = status(product, spawn).object("posture");
            List<String> properties = properties(posture);
            assertTrue(
                    properties.containsAll(List.of("own-network OK", "no-capabilities OK", "workspace OK")),
                    properties::toString);
            assertTrue(properties.stream().allMatch(property -> property.endsWith(" OK")), properties::toString);

            String toolWall = posture.text("tool_wall", "");
            assertTrue(toolWall.matches("git .* in a wall of their own each: no network, uid [1-9].*"), toolWall);

            String path = "/api/v1/spawns/" + spawn.id() + "/posture";
            Web web = product.web();
            for (String token : List.of(product.adminToken(), spawn.captainToken(), spawn.watcherToken())) {
                assertEquals(posture, web.with(token).get(path).json());
            }
            assertEquals(401, web.with("").get(path).status());
            assertEquals(
                    404,
                    web.with(product.adminToken())
                            .get("/api/v1/spawns/none/posture")
                            .status());
            JsonObject listed =
                    product.ask("{\"action\":\"list\"}").objects("spawns").get(0);
            assertFalse(listed.has("posture"), listed::toString);

            Run sessions = product.brig("sessions", "--posture");
            assertTrue(sessions.out().lines().anyMatch(line -> line.matches(".* own-network +OK .*")), sessions::out);
            assertTrue(
                    sessions.out().lines().anyMatch(line -> line.matches(".* tool-wall +.*no network.*")),
                    sessions::out);
            Run doctor = product.brig("doctor");
            assertTrue(doctor.out().lines().anyMatch(line -> line.matches("own-network +OK .*")), doctor::out);
            assertTrue(
                    doctor.out()
                            .lines()
                            .anyMatch(line -> line.matches("workspace tools +OK .*no network, uid [1-9].*")),
                    doctor::out);

            product.kill();
            product.serve();
            assertEquals(posture, status(product, spawn).object("posture"));
        }
    }

    @Test
    void shouldRefuseSpawnByNameWhenWallIsWeakerThanDeclared() throws IOException {
        // Scenario: in the gateway's mount namespace something lies over bubblewrap that leaves the host's network in.
        Product.requireRoot("a mount namespace");
        try (Product product = Product.prepare(Map.of())) {
            Path real = Files.copy(Path.of("/usr/bin/bwrap"), product.folder().resolve("real-bwrap"));
            Path weak = Files.writeString(product.folder().resolve("weak-bwrap"), """
                    #!/bin/bash
                    [ "$1" = --args ] || exec %1$s "$@"
                    shift 2
                    exec %1$s --args 7 --share-net "$@"
                    """.formatted(real));
            for (Path program : List.of(real, weak)) {
                Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            product.inMountNamespace("mount --bind " + weak + " /usr/bin/bwrap").serve();
            for (String prompt : List.of("", ",\"prompt\":\"touch /workspace/ran\"")) {
                JsonObject refused = product.ask(SHELL + prompt + "}");
                assertEquals("POSTURE_NOT_ENFORCED", refused.text("code"), refused::toString);
                assertTrue(refused.text("error", "").contains("own-network ("), () -> refused.text("error", ""));
            }
            try (var left = Files.list(product.workspaces())) {
                assertEquals(List.of(), left.toList());
            }
            Run doctor = product.brig("doctor");
            assertEquals(1, doctor.exitCode(), doctor::out);
            assertTrue(doctor.out().contains("own-network ("), doctor::out);
        }
    }
}
