package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A gateway and a worker-agent with a relay between them. Each is started again when it was killed. */
abstract class CrashSite implements AutoCloseable {
    abstract Product product();

    abstract Relay relay();

    /** Where the worker-agent itself listens. */
    abstract Path backend() throws IOException;

    /** What a request says of the place; empty for nothing. */
    String place() {
        return "";
    }

    /** All is as it was before the first kill. */
    void prepare() throws Exception {}

    /** What was held dies with its connection. */
    abstract void restartRelay() throws IOException;

    abstract void killWorkerAgent() throws Exception;

    abstract void startWorkerAgent() throws IOException;

    /** The second kernels of workers that live now; none where the wall has none. */
    List<ProcessHandle> kernels() {
        return List.of();
    }

    /** Ends what joins the two, where they are on two hosts. */
    void killLink() throws IOException {
        throw new AssertionError("there is no link");
    }

    /** Has the gateway try again at once, which else waits longer from kill to kill. */
    void hastenLink() throws IOException {
        throw new AssertionError("there is no link");
    }

    /** How many of these the worker-agent has or is starting. */
    long workersLeft(List<String> spawnIds) throws IOException {
        try (Wire control = Wire.unix(backend())) {
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
    public abstract void close() throws IOException;
}
