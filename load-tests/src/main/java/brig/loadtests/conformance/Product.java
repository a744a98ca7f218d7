package brig.loadtests.conformance;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The installed product with limits that are small enough to be reached. */
final class Product implements Target.Limited, Target.Control {
    private static final Map<String, Object> SETTINGS = Map.of("limits", Map.of(
            "retainedBytesPerStream", 128 * 1024L, "logBytesPerStream", 4 * 1024 * 1024L,
            "writeQueueBytes", 64 * 1024L, "slowReaderMs", 4_000L, "subscriptionsPerStreamMax", 40L));

    private final Brig brig;

    private Product(Brig brig) {
        this.brig = brig;
    }

    static Product start() throws IOException {
        return start(SETTINGS);
    }

    private static Product start(Map<String, Object> settings) throws IOException {
        return new Product(Brig.prepare(Brig.newFolder(), new Brig.Launch(settings, List.of(), Map.of())).launch());
    }

    @Override
    public Target target() throws IOException {
        return target("shell");
    }

    @Override
    public Target.Limited limited(Map<String, Long> limits) throws IOException {
        return start(Map.of("limits", limits));
    }

    @Override
    public void loseRecord(String spawnId) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(brig.streams().resolve(spawnId))) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
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
    public Path spawnerSocket() {
        return brig.spawnerSocket();
    }

    @Override
    public Path httpSocket() {
        return brig.httpSocket();
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
