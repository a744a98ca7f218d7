package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host that a person adds: one login, and again one whenever the link was lost. */
@Tag("slow")
class LinkedHostTest {
    private static final String NAME = "build1";

    private static JsonObject view(Product product) throws IOException {
        return product.ask("{\"action\":\"hosts\"}").objects("hosts").getFirst();
    }

    private static void awaitUp(Product product, SshHost host, long logins) throws IOException {
        Await.until(
                "the link is up again",
                () -> host.logins() == logins && view(product).text("state", "").equals("up"));
    }

    private static void requireWork(Product product, String... where) throws IOException {
        Run run = product.brig("run", "shell", where[0], where[1], "--", "echo hi");
        assertEquals(0, run.exitCode(), run::err);
        assertEquals("hi", run.out().strip());
    }

    /** The ssh that holds the link. */
    private static ProcessHandle master(SshHost host) {
        return Processes.with("-M", host.config().file().toString()).getFirst();
    }

    @Test
    void shouldLogInOnceForEachLinkWhateverEndedTheOneBefore() throws IOException {
        try (SshHost host = SshHost.start(NAME);
                Product product = Payloads.start()) {
            Run added = host.addTo(product, "--label", "gpu");
            assertTrue(added.err().contains("deploying") && added.err().contains("build1: up"), added::err);
            // The first one was to see whether ssh has questions.
            assertEquals(2, host.logins());
            requireWork(product, "--host", NAME);
            requireWork(product, "--on", "gpu");
            Run checked = product.brig("doctor", "--host", NAME);
            assertTrue(checked.out().contains("connected to build1"), checked::out);
            Run upgraded = product.brig("host", "upgrade", NAME);
            assertEquals(0, upgraded.exitCode(), upgraded::err);
            assertEquals(2, host.logins());

            master(host).destroyForcibly();
            awaitUp(product, host, 3);
            host.killSessions();
            awaitUp(product, host, 4);
            requireWork(product, "--host", NAME);

            host.settings("AllowStreamLocalForwarding no");
            host.killSessions();
            awaitUp(product, host, 5);
            requireWork(product, "--host", NAME);
            assertTrue(view(product).text("reason", "").contains("forbids the forwarding"));
            assertEquals(5, host.logins());

            assertEquals(0, product.brig("host", "rm", NAME).exitCode());
            assertEquals(
                    0, product.ask("{\"action\":\"hosts\"}").objects("hosts").size());
        }
    }

    @Test
    void shouldUseAPersonsOwnSshAndLeaveIt() throws IOException {
        try (SshHost host = SshHost.start(NAME);
                Product product = Payloads.start()) {
            Payloads.unpackOn(host);
            Path control = product.folder().resolve("own.sock");
            List<String> options = List.of("-S", control.toString());
            List<String> login = host.config().command(List.of("-M", "-N", "-S", control.toString()));
            Process own = new ProcessBuilder(login).inheritIO().start();
            try {
                Await.until("it is logged in", () -> Files.exists(control));
                host.addTo(product, "--control-path", control.toString());
                requireWork(product, "--host", NAME);
                product.kill();
                product.serve();
                awaitUp(product, host, 1);
                assertEquals("", view(product).text("reason", ""), "its socket is forwarded again");
                requireWork(product, "--host", NAME);
                assertEquals(0, product.brig("host", "rm", NAME).exitCode());
                assertEquals(
                        "here", host.config().run(options, "echo here").out().strip());
                assertTrue(own.isAlive());
                assertEquals(1, host.logins());
            } finally {
                own.destroyForcibly();
            }
        }
    }

    @Test
    void shouldSayWhatToDoWhenTheLoginIsRefused() throws IOException {
        try (SshHost host = SshHost.start(NAME);
                Product product = Payloads.start()) {
            Files.delete(host.home().resolve(".ssh/authorized_keys"));
            Run refused = product.brig(
                    "host", "add", NAME, NAME, "--", "-F", host.config().file().toString());
            assertEquals(1, refused.exitCode(), refused::err);
            assertTrue(refused.err().contains("Permission denied"), refused::err);
            assertTrue(refused.err().contains("nothing was added"), refused::err);
            assertEquals(
                    0, product.ask("{\"action\":\"hosts\"}").objects("hosts").size());
        }
    }
}
