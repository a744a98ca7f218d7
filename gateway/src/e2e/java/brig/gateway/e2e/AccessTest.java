package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
        List<String> command =
                new ArrayList<>(List.of("setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--"));
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
            for (Path folder : List.of(
                    named.socket().getParent(),
                    named.socket().getParent().getParent(),
                    product.runtime(),
                    product.runtime().resolve("wall"),
                    product.workspaces())) {
                assertEquals("rwx--x--x", modeOf(folder));
            }
            assertEquals("rw-------", modeOf(product.folder().resolve("state/admin.token")));
            assertEquals("rw-------", modeOf(product.folder().resolve("state/worker-agent.log")));
            Spawned spawned = product.spawn("shell", "echo not-for-the-$((40 + 2))-log", true);
            Await.until(
                    "it has ended",
                    () -> product.brig("logs", spawned.id()).out().contains("not-for-the-42-log"));
            product.stop();
            String logs = Files.readString(product.log())
                    + Files.readString(product.folder().resolve("state/worker-agent.log"));
            assertTrue(logs.contains(spawned.id()), logs);
            for (String secret :
                    List.of("not-for-the", spawned.captainToken(), spawned.watcherToken(), product.adminToken())) {
                assertFalse(logs.contains(secret), logs);
            }
        }
    }

    /** Scenario: a worker runs a message with a marker in it, and somebody looks through the processes of the host. */
    @Test
    void shouldShowNoMessageAmongTheCommandLinesOfTheHost() throws IOException {
        String marker = "planted" + Long.toString(System.nanoTime(), 36);
        try (Product product = Product.start()) {
            Spawned spawned = product.spawn("shell", ": " + marker + "; echo runs; sleep 60; true", false);
            try (Wire captain = spawned.captain()) {
                new Frames().readUntilType(captain, "chunk");
                List<String> seen = new ArrayList<>();
                try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
                    for (Path process : processes
                            .filter(path -> path.getFileName().toString().matches("\\d+"))
                            .toList()) {
                        seen.addAll(commandLine(process)
                                .lines()
                                .filter(line -> line.contains(marker))
                                .toList());
                    }
                }
                assertEquals(List.of(), seen);
                try (Stream<Path> left = Files.walk(product.runtime())) {
                    assertEquals(
                            List.of(),
                            left.filter(path -> path.getParent().endsWith("messages"))
                                    .toList());
                }
            }
            product.brig("terminate", spawned.id());
            Run run = product.brig(
                    "run", "shell", "--", "-n 'a \"b\"' 2>/dev/null; printf '%s|' 'x  y' \"$#\"; cat; exit 7");
            assertEquals("7 x  y|0|", run.exitCode() + " " + run.out(), run::err);
            assertEquals(
                    "900000",
                    product.brigWith("# " + "x".repeat(899_980) + "\nprintf 900000", "run", "shell")
                            .out());
            assertTrue(
                    product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"a\\u0000b\"}")
                            .text("code", "")
                            .equals("INVALID_FIELD"));
        }
    }

    private static String commandLine(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    @Test
    void shouldKeepTheLogOfTheWorkerAgentToItsOwnerAlsoWhereAnEarlierVersionDidNot() throws IOException {
        try (Product product = Product.prepare(Map.of())) {
            Path log = Files.createDirectory(product.folder().resolve("state")).resolve("worker-agent.log");
            Files.setPosixFilePermissions(Files.createFile(log), PosixFilePermissions.fromString("rw-r--r--"));
            product.serve();
            assertEquals("rw-------", modeOf(log));
            assertTrue(Files.size(log) > 0);
            product.idle("lives");
            for (Path folder : List.of(product.folder().resolve("state"), product.runtime())) {
                try (Stream<Path> files = Files.walk(folder)) {
                    assertEquals(
                            List.of(),
                            files.filter(file -> Files.isRegularFile(file)
                                            && isReadableByOthers(file)
                                            && !file.startsWith(
                                                    product.runtime().resolve("wall")))
                                    .toList());
                }
            }
        }
    }

    private static boolean isReadableByOthers(Path file) {
        try {
            return modeOf(file).endsWith("r--");
        } catch (IOException gone) {
            return false;
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
