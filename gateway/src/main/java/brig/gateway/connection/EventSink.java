package brig.gateway.connection;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.telemetry.Transport;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.Json;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;

/**
 * A response of server-sent events, as defined by WHATWG HTML. Frames have {@code id} and {@code data}; everything else
 * is a named event without id, so that a reconnect resumes after the last frame.
 */
public final class EventSink implements FrameSink {
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final ConnectionWriter writer;

    public EventSink(ConnectionWriter writer) {
        this.writer = writer;
    }

    @Override
    public boolean isWritable() {
        return writer.isWritable();
    }

    @Override
    public void write(FrameBatch batch) {
        writer.write(batch, EventFraming.CHUNK);
    }

    /** Begins a response of events that have positions. */
    public static void begin(HttpServerResponse response, String resumedFrom) {
        begin(response.putHeader("Brig-Resumed-From", resumedFrom));
    }

    /** Begins a response of events. */
    public static void begin(HttpServerResponse response) {
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream; charset=utf-8")
                .putHeader("Cache-Control", "no-cache, no-transform")
                .putHeader("X-Accel-Buffering", "no");
        response.writeHead();
    }

    /** A comment that keeps proxies from closing a quiet connection. */
    void heartbeat() {
        writer.write(Unpooled.EMPTY_BUFFER, Unpooled.wrappedBuffer(HEARTBEAT), EventFraming.CHUNK);
        writer.flush();
    }

    /** One event with a position of its own. */
    public void event(StreamPosition id, String json) {
        byte[] event = ("id: " + id + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
        writer.write(Unpooled.EMPTY_BUFFER, Unpooled.wrappedBuffer(event), EventFraming.CHUNK);
    }

    /** Reports who is connected. */
    public void presence(ConnectionLine.Presence line) {
        if (isWritable()) {
            event("presence", line);
            flush();
        }
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        event("gap", new ConnectionLine.Gap(from, to, reason.wireName(), null));
    }

    /** Reports that the client's position belongs to a lost epoch: the stream begins again. */
    public void restart(long seq, String epoch) {
        event("gap", ConnectionLine.Gap.ofEpoch(seq + 1, epoch));
    }

    @Override
    public void notice(ErrorCode code, String message) {
        event("notice", ConnectionLine.Refused.of(code, message));
    }

    @Override
    public void throttled(boolean throttled) {
        event("state", ConnectionLine.State.of(throttled));
    }

    /** Reports why the stream ends and where to resume; the browser's {@code Last-Event-ID} says the same. */
    public void leave(ErrorCode why, String epoch, long nextSeq) {
        event("notice", TextSink.lastLine(why, epoch, nextSeq));
    }

    private void event(String name, ConnectionLine data) {
        named(name, (Record) data);
    }

    /** One named event without a position. */
    public void named(String name, Record data) {
        byte[] head = ("event: " + name + "\ndata: ").getBytes(StandardCharsets.US_ASCII);
        byte[] tail = {'\n', '\n'};
        writer.write(Unpooled.EMPTY_BUFFER, Unpooled.wrappedBuffer(head, Json.write(data), tail), EventFraming.CHUNK);
    }

    @Override
    public Transport transport() {
        return Transport.SSE;
    }

    @Override
    public void flush() {
        writer.flush();
    }

    @Override
    public void end() {
        writer.finish(LastHttpContent.EMPTY_LAST_CONTENT);
    }
}
