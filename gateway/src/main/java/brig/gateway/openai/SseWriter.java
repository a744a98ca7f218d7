package brig.gateway.openai;

import brig.gateway.openai.message.ResponseEvent;
import brig.gateway.time.Timers;
import brig.protocol.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * Server-sent events of an answer. While nothing is said one goes out every 15 seconds: clients end an answer that is
 * silent for minutes, and do not all count comments as something said.
 */
final class SseWriter {
    private static final long BEAT_MS = 15_000;

    private final HttpServerResponse response;
    private final Timers timers;
    private Timers.Timer beat = () -> {};

    SseWriter(HttpServerResponse response, Timers timers) {
        this.response = response;
        this.timers = timers;
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream; charset=utf-8")
                .putHeader("Cache-Control", "no-cache, no-transform")
                .putHeader("X-Accel-Buffering", "no");
    }

    /** What is sent, by itself, where there was nothing else to send. */
    void beat(Runnable event) {
        beat = timers.after(BEAT_MS, () -> {
            if (isWritable()) {
                event.run();
            }
            beat(event);
        });
    }

    boolean isWritable() {
        return !response.writeQueueFull();
    }

    /** An event without a name. */
    void send(Record data) {
        response.write(Buffer.buffer("data: ").appendBytes(Json.write(data)).appendString("\n\n"));
    }

    /** An event with its name, which is its type too. */
    void send(ResponseEvent event) {
        Record data = (Record) event;
        response.write(Buffer.buffer("event: " + Json.tag(data) + "\ndata: ")
                .appendBytes(Json.write(data))
                .appendString("\n\n"));
    }

    void end(String last) {
        close();
        response.end(last);
    }

    void close() {
        beat.cancel();
    }
}
