package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code brig wait}, which is a program of the client for the JVM. */
@Timeout(120)
class WaitTest {
    @Test
    void shouldBringTheCodeOfATurnOverARestartOfTheGateway() throws Exception {
        // Scenario: brig wait reads, the gateway is killed, the turn ends after another gateway has taken it up.
        try (Product product = Product.start()) {
            Run spawned = product.brig(
                    "spawn", "shell", "--task-id", "turn", "--", "until [ -e go ]; do sleep 0.1; done; exit 3");
            assertEquals(0, spawned.exitCode(), spawned::err);
            Path folder = Path.of(view(product).text("workspace", "absent"));
            long before = readers(product);
            CompletableFuture<Run> waited = CompletableFuture.supplyAsync(() -> run(product, "wait", "turn"));
            Await.until("it reads", () -> readers(product) > before);
            product.kill();
            product.serve();
            Files.createFile(folder.resolve("go"));
            assertEquals(3, waited.join().exitCode(), () -> waited.join().err());

            Run again = product.brig("wait", "--json", "turn");
            assertEquals(3, again.exitCode(), again::err);
            assertEquals(3, again.json().number("exit_code", 0));
            assertEquals("done", again.json().text("type"));
        }
    }

    @Test
    void shouldSayHowToReadOnWhenTheGatewayIsKilledUnderARun() throws Exception {
        try (Product product = Product.start()) {
            CompletableFuture<Run> run = CompletableFuture.supplyAsync(
                    () -> run(product, "run", "shell", "--task-id", "turn", "--", "sleep 60"));
            Await.until(
                    "it reads", () -> product.brig("sessions", "-q").out().equals("turn\n") && readers(product) > 0);
            product.kill();
            assertEquals(125, run.join().exitCode(), () -> run.join().err());
            List<String> said = run.join().err().lines().toList();
            assertTrue(
                    said.getLast().contains("the gateway is gone; the worker may go on: 'brig logs "), said::toString);
            assertEquals(
                    List.of(),
                    said.stream().filter(line -> line.contains("Exception")).toList());
        }
    }

    @Test
    void shouldSayThatThereIsNoSuchSession() throws IOException {
        try (Product product = Product.start()) {
            Run run = product.brig("wait", "nothing");
            assertEquals(125, run.exitCode());
            assertTrue(run.err().contains("there is no session 'nothing'"), run::err);
        }
    }

    private static JsonObject view(Product product) throws IOException {
        return product.ask("{\"action\":\"status\",\"id\":\"turn\"}");
    }

    private static long readers(Product product) throws IOException {
        return view(product).number("readers", 0);
    }

    private static Run run(Product product, String... arguments) {
        try {
            return product.brig(arguments);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
