package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;

/** One cell: everything that it needs, and what was found. */
final class CrashCell {
    /** What is killed. */
    enum Victim {
        GATEWAY,
        WORKER_AGENT,
        BOTH,
        AGENT,
        /** The second kernel that the agent is behind. */
        KERNEL,
        /** The ssh that joins two hosts. */
        LINK,
        LINK_AND_GATEWAY;

        String wireName() {
            return this == BOTH
                    ? "both at once"
                    : name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static final String AGENT_CONFIG = "\"agent_config\":{\"name\":\"shell\"},\"once\":true";

    private final Step step;
    private final Victim victim;
    private final CrashSite site;
    private final Product product;
    private final String requestId = UUID.randomUUID().toString();
    private final String mark = "brig-crash-" + requestId.substring(0, 8);
    private final Frames seen = new Frames();
    private String seenEpoch = "";
    private Relay.Hold hold;
    private List<ProcessHandle> kernels = List.of();

    CrashCell(CrashSite site, Step step, Victim victim) {
        this.site = site;
        this.product = site.product();
        this.step = step;
        this.victim = victim;
    }

    private String body() {
        // A message is no argument of the agent, so the agent names itself.
        return "{" + site.place() + AGENT_CONFIG + ",\"request_id\":\"" + requestId
                + "\",\"prompt\":\"exec bash -c 'exec -a " + mark
                + " sleep 1000 & for i in $(seq 1 2000); do echo line $i; sleep 0.02; done; wait' " + mark + "\"}";
    }

    /** Sends a request whose answer does not matter: whoever gives it may be killed before. */
    private static void send(HttpRequest.Builder request, Web web) {
        Thread.ofVirtual().start(() -> {
            try {
                web.send(request);
            } catch (IOException cut) {
                // That is what this test is about.
            }
        });
    }

    private void post() throws IOException {
        Web web = product.web();
        send(
                web.request("/api/v1/spawns")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body())),
                web);
    }

    private String spawnId() throws Exception {
        return product.database().column("spawn_id", requestId).getFirst();
    }

    /** Brings the spawn to the step, and returns when it is there. */
    private void reach() throws Exception {
        if (!step.ending) {
            prepareHold();
        }
        post();
        if (step.ending || step == Step.FIRST_FRAMES || step == Step.ACKNOWLEDGED) {
            Await.until("the spawn runs", () -> isRunning());
            readSome();
        }
        if (step.ending) {
            prepareHold();
            send(product.web().request("/api/v1/spawns/" + spawnId()).DELETE(), product.web());
        }
        if (hold != null) {
            hold.await();
        } else {
            product.database().awaitSlowWrite();
        }
    }

    private boolean isRunning() throws IOException {
        try {
            return List.of("RUNNING").equals(product.database().column("state", requestId));
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private void prepareHold() throws Exception {
        if (step.held.recording() != null) {
            product.database().slowDown(step.held.recording());
        } else {
            hold = step.held.passed()
                    ? site.relay().behind(step.held.line())
                    : site.relay().before(step.held.line());
        }
    }

    /** A watcher reads the first lines; what it saw may not be lost. */
    private void readSome() throws Exception {
        try (Wire watcher =
                product.dial().sendLine("{\"action\":\"attach\",\"id\":\"" + spawnId() + "\",\"role\":\"watcher\"}")) {
            seen.readUntil(watcher, frame -> seen.text().contains("line 3\n"));
            seenEpoch = seen.messages().getFirst().text("epoch", "");
        }
    }

    private void kill() throws Exception {
        kernels = site.kernels();
        switch (victim) {
            case GATEWAY -> killGateway();
            case LINK -> {
                site.killLink();
                site.hastenLink();
            }
            case LINK_AND_GATEWAY -> {
                site.killLink();
                killGateway();
            }
            case WORKER_AGENT -> {
                site.killWorkerAgent();
                site.startWorkerAgent();
            }
            case BOTH -> {
                product.process().destroyForcibly();
                site.killWorkerAgent();
                product.kill();
                product.database().goOn();
                site.startWorkerAgent();
                product.serve();
            }
            case AGENT -> {
                // The worker-agent knows of an agent's execve before /proc shows its arguments.
                Await.until("there is an agent to kill", () -> !agents().isEmpty());
                agents().forEach(ProcessHandle::destroyForcibly);
            }
            case KERNEL -> {
                assertNotEquals(List.of(), kernels, "there is a kernel to kill");
                kernels.forEach(ProcessHandle::destroyForcibly);
            }
        }
    }

    private void killGateway() throws Exception {
        product.kill();
        product.database().goOn();
        if (hold != null && step != Step.ASKED_LATE) {
            site.restartRelay();
        }
        product.serve();
    }

    private List<ProcessHandle> agents() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(mark))
                .filter(process -> process.info().command().orElse("").endsWith("bash"))
                .toList();
    }

    private List<ProcessHandle> left() {
        Stream<ProcessHandle> marked = ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(mark));
        Stream<ProcessHandle> behind = Stream.concat(kernels.stream(), site.kernels().stream());
        return Stream.concat(marked, behind.filter(ProcessHandle::isAlive)).toList();
    }

    /** The captain does what a captain does that got no answer; then it ends what runs. */
    private String settle() throws Exception {
        Web.Answer[] again = new Web.Answer[1];
        Await.until("the request is answered", () -> {
            again[0] = product.web().post("/api/v1/spawns?wait=60s", body());
            return again[0].status() == 201 || again[0].header("Retry-After").isEmpty();
        });
        assertEquals(201, again[0].status(), () -> again[0].json().toString());
        String id = again[0].json().text("spawn_id", "");
        Await.until(
                "the end is taken",
                () -> product.web().delete("/api/v1/spawns/" + id).status() == 202);
        Await.until(
                "all is over",
                () -> states().stream().allMatch(state -> state.equals("terminated") || state.equals("failed")));
        return id;
    }

    private List<String> states() throws IOException {
        try {
            return product.database().column("lower(state)", requestId);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    /** Plays the cell. @return its row in the report */
    List<String> run() throws Exception {
        site.prepare();
        try {
            reach();
            kill();
        } finally {
            if (hold != null) {
                hold.release();
            }
            product.database().goOn();
        }
        String id = settle();
        Await.until("no process is left", () -> left().isEmpty());
        Await.until("the worker-agent has forgotten it", () -> workersLeft() == 0);
        Frames record = new Frames();
        try (Wire watcher =
                product.dial().sendLine("{\"action\":\"attach\",\"id\":\"" + id + "\",\"role\":\"watcher\"}")) {
            record.readAll(watcher);
        }
        List<String> ran = product.database().column("running_ms > 0", requestId);
        assertEquals(1, ran.stream().filter("1"::equals).count(), "one run, in " + states());
        assertEquals(0, record.missing());
        assertEquals(
                1,
                record.lines().stream()
                        .filter(line -> line.contains("\"terminated\"") && line.startsWith("{\"type\":\"state\""))
                        .count());
        long lost = seen.lines().stream()
                .filter(line -> !record.lines().contains(line))
                .count();
        if (lost > 0) {
            // The newest second is with two processes, and both are gone: then readers are told to begin again.
            assertEquals(Victim.BOTH, victim, lost + " frames that a reader saw are not in the record");
            assertNotEquals(seenEpoch, record.messages().getFirst().text("epoch", ""));
        }
        return List.of(
                step.says,
                victim.wireName(),
                String.join(", then ", states()),
                exit(),
                String.valueOf(workersLeft()),
                lost == 0 ? "0" : "0 silently; " + lost + " unrecorded, told by a new epoch");
    }

    /** Only its own: what a cell that failed left behind is no fault of the next. */
    private long workersLeft() throws IOException {
        try {
            return site.workersLeft(product.database().column("spawn_id", requestId));
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private String exit() throws Exception {
        String exit = product.database().column("exit", requestId).getLast();
        if (exit == null) {
            return "none";
        }
        JsonObject how = JsonObject.read(exit.getBytes(StandardCharsets.UTF_8));
        return how.number("exit_code", 0) + " " + how.text("reason", how.text("signal", ""));
    }
}
