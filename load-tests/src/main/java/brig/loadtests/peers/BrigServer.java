package brig.loadtests.peers;

import brig.loadtests.client.SpawnBody;
import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.profile.CpuRecording;
import brig.loadtests.suite.Scenario;
import brig.protocol.api.SpawnAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A gateway, started once the generator answers as its worker-agent. */
final class BrigServer implements Server {
    private static final double CPU_UNKNOWN = 0;

    private final Brig brig;
    private final int port;
    private final String transport;
    private final Scenario scenario;
    private final Path collections;
    private final @Nullable CpuRecording recording;

    /**
     * The server.
     *
     * @param collections the garbage collection log of its JVM
     * @param recording   of its CPU time, drawn when it has ended; null for none
     */
    BrigServer(
            Brig brig,
            int port,
            String transport,
            Scenario scenario,
            Path collections,
            @Nullable CpuRecording recording)
            throws IOException {
        this.brig = brig;
        this.port = port;
        this.transport = transport;
        this.scenario = scenario;
        this.collections = collections;
        this.recording = recording;
        Files.createDirectories(Path.of(brig.linkSocket()).getParent());
    }

    @Override
    public List<String> generatorArguments() {
        return List.of(
                "--publish",
                "brig",
                "--worker-agent",
                brig.linkSocket(),
                "--subscribe",
                transport,
                "--connect",
                "127.0.0.1:" + port);
    }

    @Override
    public List<Long> pids() {
        return List.of(brig.pid());
    }

    @Override
    public Opened open() throws IOException {
        brig.launch();
        long before = residentBytes();
        HttpWire.Place place = HttpWire.Place.tcp("127.0.0.1", port, brig.adminToken());
        byte[] request = place.request(
                "POST", "/api/v1/spawns?wait=60s", SpawnBody.of("shell").text());
        List<String> lines = new ArrayList<>();
        try (HttpWire requests = place.connect()) {
            for (int i = 0; i < scenario.streams(); i++) {
                lines.add(line(i, requests.send(request).answer(201).as(SpawnAnswer.class)));
            }
        }
        return new Opened(before, lines);
    }

    private String line(int stream, SpawnAnswer spawned) {
        String token = scenario.role().equals("captain") ? spawned.authToken() : spawned.watcherToken();
        return "stream " + stream + " " + spawned.spawnId() + " " + spawned.ioSocket() + " " + token;
    }

    @Override
    public List<HeapSample> heap() throws IOException {
        return GcLog.parse(Files.readString(collections));
    }

    @Override
    public void collect() throws IOException {
        brig.collectHeap();
    }

    @Override
    public void close() throws IOException {
        if (recording == null) {
            brig.kill();
            return;
        }
        try (recording) {
            Instant measured = Instant.now();
            brig.close();
            recording.draw(
                    CpuRecording.GATEWAY,
                    scenario.name(),
                    measured.minusMillis(scenario.durationMs()),
                    measured,
                    CPU_UNKNOWN);
        }
    }
}
