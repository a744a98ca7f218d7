package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What brig-egress of an installed product may do, by the kernel's word. */
@Timeout(180)
class EgressConfinementTest {
    private static final int SOMEBODY = 12345;
    private static final int OWN_USER = 59616;

    @Test
    void shouldBeNobodyWithoutPowerWhereTheGatewayIsRoots() throws IOException {
        Product.requireRoot("to become another user");
        try (Outside outside = new Outside()) {
            outside.writePolicy("web", 0);
            try (Product product = Product.prepare(outside.settings("web")).with("PLANTED_VARIABLE=of-the-operator")) {
                product.serve();
                check(product, OWN_USER);
            }
        }
    }

    @Test
    void shouldHaveNoPowerWhereTheGatewayIsAPersons() throws IOException {
        Product.requireRoot("to become another user");
        try (Outside outside = new Outside()) {
            outside.writePolicy("web", 0);
            Files.setPosixFilePermissions(
                    outside.policy("web").getParent().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
            try (Product product = Product.prepare(outside.settings("web")).asUser(SOMEBODY)) {
                product.serve();
                check(product, SOMEBODY);
            }
        }
    }

    private static void check(Product product, int uid) throws IOException {
        Run doctor = product.brig("doctor");
        for (String property : List.of(
                "egress-user",
                "egress-capabilities",
                "egress-no-new-privileges",
                "egress-system-calls",
                "egress-environment",
                "egress-processes",
                "egress-files")) {
            assertTrue(
                    doctor.out().lines().anyMatch(line -> line.contains(property) && line.contains("OK")), doctor::out);
        }
        Spawned spawned = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"policy\":\"web\","
                        + "\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"echo runs; sleep 60; true\"}"));
        try (Wire captain = spawned.captain()) {
            new Frames().readUntilType(captain, "chunk");
        }
        ProcessHandle egress = descendants(product)
                .filter(EgressConfinementTest::isJvm)
                .findFirst()
                .orElseThrow();
        Path process = Path.of("/proc", String.valueOf(egress.pid()));
        Map<String, String> status = Files.readAllLines(process.resolve("status")).stream()
                .map(line -> line.split(":\\s*", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        assertEquals(uid + "\t" + uid + "\t" + uid + "\t" + uid, status.get("Uid"));
        for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
            assertEquals("0000000000000000", status.get(set), set);
        }
        assertEquals("1 2", status.get("NoNewPrivs") + " " + status.get("Seccomp"));
        String environment = Files.readString(process.resolve("environ"));
        assertEquals(
                "LC_ALL=C.UTF-8 PWD=/",
                Stream.of(environment.split("\0", -1))
                        .filter(word -> !word.isEmpty())
                        .sorted()
                        .collect(Collectors.joining(" ")));
        for (Path closed :
                List.of(Path.of("/etc/shadow"), product.folder().resolve("state/admin.token"), product.workspaces())) {
            assertTrue(Files.exists(closed), closed.toString());
            assertFalse(Files.exists(process.resolve("root" + closed)), closed.toString());
        }
    }

    private static Stream<ProcessHandle> descendants(Product product) {
        return product.workerAgents().stream().flatMap(ProcessHandle::descendants);
    }

    /** Above it is bubblewrap, twice, which has the same words. */
    private static boolean isJvm(ProcessHandle process) {
        try {
            String words = Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
            return words.contains("EgressMain") && words.split("\0", -1)[0].endsWith("/java");
        } catch (IOException gone) {
            return false;
        }
    }
}
