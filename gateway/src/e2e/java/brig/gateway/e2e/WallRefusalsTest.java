package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spawns whose wall or command cannot be what was asked for: refused by name, with nothing left of them. */
@Timeout(60)
class WallRefusalsTest {
    private static Product product;
    private static Beside beside;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        beside = new Beside(product);
    }

    @AfterEach
    void requireUntouched() throws IOException {
        beside.requireUntouched();
    }

    @AfterAll
    static void stop() throws IOException {
        beside.close();
        product.close();
    }

    private static JsonObject spawnIn(Path workspace) throws IOException {
        return product.ask("{\"action\":\"spawn\",\"workspace\":\"" + workspace
                + "\",\"agent_config\":{\"name\":\"shell\"},"
                + "\"prompt\":\"touch /workspace/ran\",\"once\":true}");
    }

    @Test
    void shouldRefuseWorkspaceWhenItIsNotBelowBase() throws IOException {
        Path outside = Files.createDirectory(product.folder().resolve("outside"));
        Path base = product.workspaces();
        for (Path workspace : new Path[] {outside, base, base.resolve("../outside"), Path.of("/"), Path.of("/etc")}) {
            assertEquals("WORKSPACE_OUTSIDE_BASE", spawnIn(workspace).text("code"), workspace::toString);
        }
        assertFalse(Files.exists(outside.resolve("ran")));
    }

    @Test
    void shouldRefuseWorkspaceWhenSymbolicLinkLeadsOut() throws IOException {
        Path target = Files.createDirectory(product.folder().resolve("target"));
        Path link = Files.createSymbolicLink(product.workspaces().resolve("link"), target);
        Path dangling = Files.createSymbolicLink(
                product.workspaces().resolve("dangling"), product.folder().resolve("none"));
        for (Path workspace : new Path[] {link, link.resolve("below"), dangling}) {
            assertEquals("WORKSPACE_OUTSIDE_BASE", spawnIn(workspace).text("code"), workspace::toString);
        }
        assertFalse(Files.exists(target.resolve("ran")));
        assertFalse(Files.exists(target.resolve("below")));
        assertFalse(Files.exists(product.folder().resolve("none")));
    }

    @Test
    void shouldNameCommandWhenItDoesNotExist() throws IOException {
        Files.writeString(
                product.agents().resolve("absent.json"),
                "{\"description\":\"nothing\",\"command\":[\"/no/such/program\"]}");
        JsonObject answer =
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"absent\"},\"prompt\":\"x\"}");
        assertEquals("COMMAND_NOT_FOUND", answer.text("code"));
        assertTrue(answer.text("error", "").contains("/no/such/program"), () -> answer.text("error", ""));
    }

    @Test
    void shouldNameFaultWhenProfileIsBroken() throws IOException {
        Files.writeString(product.agents().resolve("broken.json"), "{\"command\":[]}");
        JsonObject answer =
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"broken\"},\"prompt\":\"x\"}");
        assertEquals("UNKNOWN_AGENT", answer.text("code"));
        assertTrue(answer.text("error", "").contains("broken.json"), () -> answer.text("error", ""));
    }
}
