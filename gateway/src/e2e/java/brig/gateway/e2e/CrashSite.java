package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A gateway and a worker-agent with a relay between them. Each is started again when it was killed, as systemd does. */
final class CrashSite implements AutoCloseable {
    private final Product product = Product.prepare(Map.of());
    private final Path front = product.folder().resolve("f/w/link.sock");
    private final Path back = product.folder().resolve("b/w/link.sock");
    private Process workerAgent;
    private Relay relay;

    CrashSite() throws IOException {
        try {
            Files.createDirectories(
                    front.getParent(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            startWorkerAgent();
            product.withWorkerAgent(product.folder().resolve("f")).serve();
        } catch (IOException | AssertionError e) {
            close();
            throw e;
        }
    }

    Product product() {
        return product;
    }

    Relay relay() {
        return relay;
    }

    /** What was held dies with its connection. */
    void restartRelay() throws IOException {
        relay.close();
        relay = new Relay(front, back);
    }

    void killWorkerAgent() throws IOException, InterruptedException {
        workerAgent.destroyForcibly().waitFor();
        relay.close();
        Files.delete(back);
    }

    void startWorkerAgent() throws IOException {
        workerAgent = product.startWorkerAgent(product.folder().resolve("b"));
        Await.until("the worker-agent listens", () -> Files.exists(back));
        relay = new Relay(front, back);
    }

    /** How many of these the worker-agent has or is starting. */
    long workersLeft(List<String> spawnIds) throws IOException {
        try (Wire control = Wire.unix(back)) {
            JsonObject has = control.sendLine("{\"link\":\"control\"}")
                    .sendLine("{\"id\":1,\"op\":\"list\"}")
                    .message()
                    .object("ok");
            return Stream.concat(
                            has.objects("workers").stream().map(worker -> worker.text("spawn_id", "")),
                            has.texts("starting").stream())
                    .filter(spawnIds::contains)
                    .count();
        }
    }

    @Override
    public void close() throws IOException {
        if (relay != null) {
            relay.close();
        }
        if (workerAgent != null) {
            workerAgent.destroyForcibly();
        }
        product.close();
    }
}
