package brig.loadtests.walls;

import brig.loadtests.product.HttpWire;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A session of the shell's agent with one script, which is given a time. Its end ends the session. */
final class WalledSession implements AutoCloseable {
    /** It was not taken; says the code, the cause and the mend. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why);
        }
    }

    /** Its time was over. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;

        TooLong(int seconds, IOException cause) {
            super("it took longer than " + seconds + " s", cause);
        }
    }

    private static final String EVENT = "data: {";
    private static final long END_SECONDS_MAX = 60;
    private static final long ASK_AGAIN_NANOS = 20_000_000;

    private final HttpWire.Place place;
    private final HttpWire requests;
    /** Opened when there is something to ask for, as the gateway closes connections that ask for nothing. */
    private volatile @Nullable HttpWire stream;

    private final int secondsMax;
    private final long startNanos = System.nanoTime();
    private final StringBuilder said = new StringBuilder();
    private @Nullable SpawnAnswer spawned;
    private long exitCode = -1;
    private boolean ended;

    private WalledSession(HttpWire.Place place, int secondsMax) throws IOException {
        this.place = place;
        requests = place.connect();
        this.secondsMax = secondsMax;
    }

    /**
     * Starts one.
     *
     * @param fields of the request, besides the agent and its prompt
     */
    static WalledSession start(HttpWire.Place place, JsonObject fields, String script, int secondsMax)
            throws IOException {
        WalledSession session = new WalledSession(place, secondsMax);
        try {
            session.spawn(fields, script);
            return session;
        } catch (IOException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private void spawn(JsonObject fields, String script) throws IOException {
        endAfter(secondsMax);
        JsonObject body = JsonObject.builder()
                .put("agent_config", JsonObject.builder().put("name", "shell").build())
                .put("prompt", script)
                .put("once", true)
                .build()
                .overlaid(fields);
        byte[] request =
                place.request("POST", "/api/v1/spawns?wait=300s", new String(Json.write(body), StandardCharsets.UTF_8));
        HttpWire.Answer answer = inTime(() -> requests.send(request).answer());
        if (answer.status() != 201) {
            JsonObject why = answer.body();
            throw new Refused(why.text("code", "HTTP " + answer.status()) + ": " + why.text("detail", ""));
        }
        SpawnAnswer known = answer.body().as(SpawnAnswer.class);
        spawned = known;
        HttpWire events = place.connect();
        stream = events;
        inTime(() -> events.send(place.request("GET", "/api/v1/sessions/" + known.spawnId() + "/stream", "")).stream());
    }

    /** Nobody answers on a connection that is closed. */
    private void endAfter(int seconds) {
        Executor later = CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS, Thread::startVirtualThread);
        var unused = CompletableFuture.runAsync(this::hangUp, later);
    }

    private void hangUp() {
        try {
            requests.close();
            HttpWire events = stream;
            if (events != null) {
                events.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Asking<T> {
        T ask() throws IOException;
    }

    private <T> T inTime(Asking<T> asking) throws IOException {
        try {
            return asking.ask();
        } catch (IOException e) {
            if (System.nanoTime() - startNanos >= TimeUnit.SECONDS.toNanos(secondsMax)) {
                throw new TooLong(secondsMax, e);
            }
            throw e;
        }
    }

    String id() {
        return spawned == null ? "" : spawned.spawnId();
    }

    String workspace() {
        return spawned == null || spawned.workspace() == null ? "" : spawned.workspace();
    }

    /** Reads on to its first output; the milliseconds from the request until then. */
    double firstMs() throws IOException {
        readUntil(() -> !said.isEmpty());
        return (System.nanoTime() - startNanos) / 1e6;
    }

    /** Reads on to its end; all of its output. @throws IOException with that if the script failed */
    String output() throws IOException {
        readUntil(() -> ended);
        if (exitCode != 0) {
            throw new IOException(
                    "exit code " + exitCode + ": " + said.toString().strip());
        }
        return said.toString();
    }

    private void readUntil(BooleanSupplier enough) throws IOException {
        HttpWire events = stream;
        while (events != null && !ended && !enough.getAsBoolean()) {
            handle(inTime(events::line));
        }
    }

    private void handle(String line) {
        if (line.startsWith(EVENT)) {
            JsonObject frame =
                    JsonObject.read(line.substring(EVENT.length() - 1).getBytes(StandardCharsets.ISO_8859_1));
            String type = frame.text("type", "");
            if (type.equals(FrameType.CHUNK.wireName())) {
                said.append(frame.text("content", ""));
            }
            exitCode = type.equals(FrameType.DONE.wireName()) ? frame.number("exit_code", -1) : exitCode;
            ended |= frame.text("state", "").equals("terminated");
        }
    }

    /** What its wall was measured to hold, from inside. */
    JsonObject posture() throws IOException {
        return inTime(() -> requests.send(place.request("GET", "/api/v1/spawns/" + id() + "/posture", ""))
                .answer(200));
    }

    /** Ends it, and waits until nothing of it runs. */
    @Override
    public void close() throws IOException {
        hangUp();
        if (spawned == null || ended) {
            return;
        }
        try (HttpWire wire = place.connect()) {
            String path = "/api/v1/spawns/" + id();
            HttpWire.Answer answer =
                    wire.send(place.request("DELETE", path, "")).answer();
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS_MAX);
            while (!answer.body().text("state", "").equals("terminated") && System.nanoTime() < patience) {
                LockSupport.parkNanos(ASK_AGAIN_NANOS);
                answer = wire.send(place.request("GET", path, "")).answer();
            }
        }
    }
}
