package brig.gateway.e2e;

import brig.protocol.spawn.WallKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/** Both on this host. Each is started again when it was killed, as systemd does. */
final class LocalCrashSite extends CrashSite {
    private final Product product = Product.prepare(Map.of());
    private final Path front = product.folder().resolve("f/w/link.sock");
    private final Path back = product.folder().resolve("b/w/link.sock");
    private Process workerAgent;
    private final WallKind wall;
    private Relay relay;

    LocalCrashSite() throws IOException {
        this(WallKind.BWRAP);
    }

    LocalCrashSite(WallKind wall) throws IOException {
        this.wall = wall;
        try {
            SecondKernels.giveTo(product);
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

    @Override
    Product product() {
        return product;
    }

    @Override
    String place() {
        return wall == WallKind.BWRAP ? "" : "\"wall\":\"" + wall.word() + "\",";
    }

    @Override
    List<ProcessHandle> kernels() {
        return SecondKernels.below(workerAgent.toHandle(), wall);
    }

    @Override
    Path backend() {
        return back;
    }

    @Override
    Relay relay() {
        return relay;
    }

    @Override
    void restartRelay() throws IOException {
        relay.close();
        relay = new Relay(front, back);
    }

    @Override
    void killWorkerAgent() throws IOException, InterruptedException {
        workerAgent.destroyForcibly().waitFor();
        relay.close();
        Files.delete(back);
    }

    @Override
    void startWorkerAgent() throws IOException {
        workerAgent = product.startWorkerAgent(product.folder().resolve("b"));
        Await.until("the worker-agent listens", () -> Files.exists(back));
        relay = new Relay(front, back);
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
