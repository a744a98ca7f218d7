package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code brig host}: from a host where nobody has been to one that is removed, and hosts that lack something. */
@Timeout(300)
class HostCommandTest {
    private static final String HOST = "build1";
    private static final Path BWRAP = Path.of("/usr/bin/bwrap");

    private static SshHost host;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        host = SshHost.start(HOST);
        Payloads.hasten(host);
        product = Product.prepare(Map.of());
        Payloads.keepFor(product);
        product.serve();
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
        if (host != null) {
            host.close();
        }
    }

    private static Run add(String name) throws IOException {
        return product.brig("host", "add", name, HOST, "--", "-F", host.config().file().toString());
    }

    private static String listed(Product by, String name) throws IOException {
        return by.brig("host", "list").out().lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElse("");
    }

    @Test
    void shouldAskForTheHostsKeyOnceAndBringWhatIsNeeded() throws IOException {
        host.config().forget();
        try (Pty pty = Pty.start(product.command(
                "host", "add", "--label", "far", "new", HOST, "--", "-F", host.config().file().toString(),
                "-o", "StrictHostKeyChecking=ask"))) {
            pty.readUntil("continue connecting (yes/no", 1);
            for (char key : "yes\n".toCharArray()) {
                pty.press(key);
            }
            String shown = pty.readToEnd();
            assertTrue(shown.contains("new: deploying") && shown.contains("new: up"), shown);
        }
        assertTrue(listed(product, "new").contains(" up "), listed(product, "new"));
        assertTrue(Files.exists(host.home().resolve(".brig/versions").resolve(Payloads.version()).resolve("bin/brig-host")));
        Run check = product.brig("host", "check", "new");
        assertEquals(0, check.exitCode(), check::toString);
        assertTrue(check.out().contains("bubblewrap") && check.out().contains("ssh"), check::out);
        assertEquals(check.out(), product.brig("doctor", "--host", "new").out());
        long logins = host.logins();
        Run upgrade = product.brig("host", "upgrade", "new");
        assertEquals(0, upgrade.exitCode(), upgrade::toString);
        assertEquals(logins, host.logins());

        product.ask("{\"action\":\"spawn\",\"task_id\":\"stays\",\"host\":\"new\",\"agent_config\":{\"name\":\"shell\"}}");
        Run inUse = product.brig("host", "rm", "new");
        assertTrue(inUse.exitCode() != 0 && inUse.err().contains("live on host new"), inUse::toString);
        product.ask("{\"action\":\"terminate\",\"id\":\"stays\"}");
        Await.until("it can be removed", () -> product.brig("host", "rm", "new").exitCode() == 0);
        assertEquals("", listed(product, "new"));
        assertEquals("NOT_FOUND", product.ask("{\"action\":\"spawn\",\"host\":\"new\",\"agent_config\":{\"name\":\"shell\"}}").text("code"));
    }
}
