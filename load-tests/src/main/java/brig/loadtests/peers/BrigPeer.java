package brig.loadtests.peers;

import brig.loadtests.product.Brig;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.profile.CpuRecording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The installed gateway with its recorder and its default limits, except for the numbers of workers and connections.
 * The generator acts as its worker-agent. If the gateway starts one itself, because the generator has just ended, an
 * invalid JVM option makes that fail.
 */
public final class BrigPeer implements Peer {
    private static final String NO_WORKER_AGENT = "-XX:+TheGeneratorIsTheWorkerAgent";
    private static final long WORKERS_MAX = 10_000;
    private static final long CONNECTIONS_MAX = 15_000;

    private final String name;
    private final Path home;
    private final @Nullable Path profiles;

    /**
     * The peer.
     *
     * @param home     the folder of the product
     * @param profiles the folder for flame graphs; null for none
     */
    public BrigPeer(String name, Path home, @Nullable Path profiles) {
        this.name = name;
        this.home = home;
        this.profiles = profiles;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<String> missing() {
        return Files.isExecutable(Brig.program(home))
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
        JvmOptions options = new JvmOptions(
                List.of("-Xlog:gc:file=" + collections + ":timemillis", JvmOptions.WHOLE_COLLECTIONS),
                List.of(NO_WORKER_AGENT));
        CpuRecording recording = profiles == null ? null : new CpuRecording(profiles);
        ServeSettings settings = ServeSettings.DEFAULTS
                .withPort(port)
                .withLimits(Map.of(
                        "workersMax",
                        WORKERS_MAX,
                        "workersPerCaptainMax",
                        WORKERS_MAX,
                        "connectionsMax",
                        CONNECTIONS_MAX));
        Brig brig = Brig.prepare(
                Brig.newFolder(),
                new Brig.Launch(
                        home,
                        settings,
                        site.cores().forServer(),
                        recording == null ? options : recording.options().and(options)));
        return new BrigServer(brig, port, transport, site.scenario(), collections, recording);
    }
}
