package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.ExecWatch;
import brig.workeragent.HostSideAttacks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The attacks of {@link HostSideAttacks} on a person's own gateway. There the workers' uid is the person's, so an agent's
 * program outside of a wall would be the person: it is looked for by whoever can see all programs of the host.
 */
@Timeout(120)
@Tag("slow")
class HostSideOfAPersonTest {
    private static final int PERSON = 12345;

    private static Product product;
    private static Path marks;

    @BeforeAll
    static void start() throws IOException {
        Product.requireRoot("to become another user, and to watch programs");
        Map<String, ?> tools = Map.of("timeoutMs", 3000L, "memoryBytesMax", 64L * 1024 * 1024);
        product = Product.prepare(Map.of("worker", Map.of("tools", tools)));
        marks = Files.createDirectory(product.folder().resolve("marks"));
        Files.setPosixFilePermissions(marks, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.createDirectory(product.workspaces());
        product.asUser(PERSON).serve();
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
    }

    private static Path repository(String name) throws IOException {
        Path repository = Files.createDirectory(product.workspaces().resolve(name));
        Run made = Run.of(
                List.of("sh", "-ec", "cd " + repository + "; " + HostSideAttacks.PREPARE + "chown -R " + PERSON + " ."),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        return repository;
    }

    private static String ask(String action, Spawned session, String more) throws IOException {
        return String.valueOf(
                product.ask("{\"action\":\"" + action + "\",\"id\":\"" + session.id() + "\"" + more + "}"));
    }

    /** Scenario: the agent sets its trap; it is looked at, taken over, ended, looked at and removed by the person. */
    private static void livesThrough(String mode, Path repository, String script) throws IOException {
        JsonObject answer =
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"workspace_mode\":\"" + mode
                        + "\",\"repository\":\"" + repository + "\"}");
        Spawned session = new Spawned(product, answer);
        try (Wire captain = session.captain()) {
            captain.sendLine(Spawned.user(script));
            Frames frames = new Frames().readUntilType(captain, "done");
            ask("diff", session, "");
            ask("apply", session, ",\"check\":true,\"allow\":[\"*\"]");
            ask("apply", session, "");
            ask("terminate", session, "");
            frames.readAll(captain);
        }
        ask("diff", session, "");
        ask("discard", session, "");
    }

    @ParameterizedTest
    @MethodSource("brig.workeragent.HostSideAttacks#names")
    void shouldRunNothingOfTheAgentsAsThePerson(String name) throws IOException {
        Path repository = repository("project-" + name.replace(' ', '-'));
        String script = HostSideAttacks.script(name, marks, repository);
        Map<String, Long> before = HostSideAttacks.hostFiles(repository);
        boolean isTrap = name.equals(HostSideAttacks.FILTER);
        List<String> executed;
        try (ExecWatch watch = new ExecWatch(product.folder(), "evil-program")) {
            for (String mode : isTrap ? List.of("worktree", "snapshot") : List.of("worktree")) {
                livesThrough(mode, repository, script);
            }
            executed = watch.seen();
        }

        assertEquals(
                List.of(),
                executed.stream().filter(line -> line.startsWith("host ")).toList());
        assertTrue(!isTrap || executed.size() > 0, "git did not fall into the trap, so nothing was shown");
        assertEquals(List.of(), HostSideAttacks.marksIn(marks));
        Map<String, Long> after = HostSideAttacks.hostFiles(repository);
        after.keySet().removeAll(List.of("x"));
        assertEquals(before, after, "the repository is as it was, but for what was taken over");
    }
}
