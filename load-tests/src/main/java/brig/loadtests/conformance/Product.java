package brig.loadtests.conformance;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** The installed product with limits that are small enough to be reached. */
final class Product implements AutoCloseable, Target.Control {
    private static final Map<String, Object> SETTINGS = Map.of("limits", Map.of(
            "retainedBytesPerStream", 128 * 1024L, "logBytesPerStream", 4 * 1024 * 1024L,
            "writeQueueBytes", 64 * 1024L, "slowReaderMs", 4_000L));

    private final Brig brig;

    private Product(Brig brig) {
        this.brig = brig;
    }

    static Product start() throws IOException {
        return new Product(Brig.prepare(Brig.newFolder(), new Brig.Launch(SETTINGS, List.of(), Map.of())).launch());
    }

    Target target(String agent) throws IOException {
        return new Target(() -> URI.create("http://127.0.0.1:" + brig.port()), brig.adminToken(), agent, Scale.PRODUCT,
                this);
    }

    @Override
    public void restart() throws IOException {
        brig.restart();
    }

    @Override
    public void stop() throws IOException {
        brig.stop();
    }

    @Override
    public void close() throws IOException {
        brig.close();
    }
}
