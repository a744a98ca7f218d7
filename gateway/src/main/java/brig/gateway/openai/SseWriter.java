package brig.gateway.openai;

import brig.gateway.openai.message.ResponseEvent;
import brig.gateway.time.Timers;
import brig.protocol.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * Writes an answer's server-sent events. After 15 seconds of silence it sends an event, because clients drop answers
 * that are silent for minutes and not all of them count comments.
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

    /** Sets the event to send during silence. */
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

    /** Sends an event without a name. */
    void send(Record data) {
        response.write(Buffer.buffer("data: ").appendBytes(Json.write(data)).appendString("\n\n"));
    }

    /** Sends an event whose name is its type. */
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
