package brig.loadtests.peers;

import brig.loadtests.product.Brig;
import brig.loadtests.product.ServeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The installed gateway with its recorder and its default limits, except for the numbers of workers and connections.
 * The generator acts as its worker-agent. If the gateway starts one itself, because the generator has just ended, an
 * invalid JVM option makes that fail.
 */
final class BrigPeer implements Peer {
    private static final String NO_WORKER_AGENT = "-XX:+TheGeneratorIsTheWorkerAgent";
    private static final long WORKERS_MAX = 10_000;
    private static final long CONNECTIONS_MAX = 15_000;

    @Override
    public String name() {
        return "brig";
    }

    @Override
    public Optional<String> missing() {
        return Files.isExecutable(Brig.program())
                ? Optional.empty()
                : Optional.of("the product is not installed: ./gradlew installDist");
    }

    @Override
    public boolean speaks(String transport) {
        return true;
    }

    @Override
    public boolean compilesAsItRuns() {
        return true;
    }

    @Override
    public Server start(Site site, String transport) throws IOException {
        int port = Site.freePort();
        Path collections = site.folder().resolve("gc.log");
        Brig brig = Brig.prepare(
                Brig.newFolder(),
                new Brig.Launch(
                        ServeSettings.DEFAULTS
                                .withPort(port)
                                .withLimits(Map.of(
                                        "workersMax",
                                        WORKERS_MAX,
                                        "workersPerCaptainMax",
                                        WORKERS_MAX,
                                        "connectionsMax",
                                        CONNECTIONS_MAX)),
                        site.cores().forServer(),
                        Map.of(
                                "BRIG_JAVA_OPTS",
                                "-Xlog:gc:file=" + collections + ":timemillis " + Brig.WHOLE_COLLECTIONS,
                                "BRIG_WORKER_AGENT_JAVA_OPTS",
                                NO_WORKER_AGENT)));
        return new BrigServer(brig, port, transport, site.scenario(), collections);
    }
}
