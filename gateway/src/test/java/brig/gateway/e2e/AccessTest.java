package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets at the gateway, and at what it keeps, on the host itself. */
@Timeout(60)
class AccessTest {
    private static String modeOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static int sessionsAs(Product product, int uid) throws IOException {
        String id = String.valueOf(uid);
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--"));
        command.addAll(product.command("sessions"));
        return Run.of(command, "", product.folder()).exitCode();
    }

    @Test
    void shouldAnswerOnlyUsersThatAreAllowedOnTheSpawnerSocket() throws IOException {
        Product.requireRoot("to be another user");
        try (Product product = Product.start(Map.of("allowedUids", List.of(12345L)))) {
            assertEquals(0, sessionsAs(product, 12345));
            assertEquals(125, sessionsAs(product, 12346));
        }
    }

    @Test
    void shouldKeepSocketsAndTokenToItsOwnUserAndNoSecretInItsLogs() throws IOException {
        try (Product product = Product.start()) {
            assertEquals("rw-------", modeOf(product.spawner()));
            Spawned named = product.idle("named");
            for (Path folder : List.of(named.socket().getParent(), named.socket().getParent().getParent(),
                    product.runtime(), product.runtime().resolve("wall"), product.workspaces())) {
                assertEquals("rwx--x--x", modeOf(folder));
            }
            assertEquals("rw-------", modeOf(product.folder().resolve("state/admin.token")));
            assertEquals("rw-------", modeOf(product.folder().resolve("state/worker-agent.log")));
            Spawned spawned = product.spawn("shell", "echo not-for-the-$((40 + 2))-log", true);
            Await.until("it has ended", () -> product.brig("logs", spawned.id()).out().contains("not-for-the-42-log"));
            product.stop();
            String logs = Files.readString(product.log())
                    + Files.readString(product.folder().resolve("state/worker-agent.log"));
            assertTrue(logs.contains(spawned.id()), logs);
            for (String secret : List.of("not-for-the", spawned.captainToken(),
                    spawned.watcherToken(), product.adminToken())) {
                assertFalse(logs.contains(secret), logs);
            }
        }
    }

    @Test
    void shouldNotStartWhenOthersCanReadTheAdminToken() throws IOException {
        try (Product product = Product.prepare(Map.of())) {
            Path state = Files.createDirectory(product.folder().resolve("state"));
            Path token = Files.writeString(state.resolve("admin.token"), "brig_" + "x".repeat(43) + "\n");
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
            AssertionError refused = assertThrows(AssertionError.class, product::serve);
            assertTrue(refused.getMessage().contains(token.toString()), refused::getMessage);
        }
    }
}
