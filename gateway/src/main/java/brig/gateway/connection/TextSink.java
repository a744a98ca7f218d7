package brig.gateway.connection;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.Framing;
import brig.gateway.stream.GapReason;
import brig.gateway.telemetry.Transport;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.Json;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A captain's or watcher's connection that takes lines: a Unix socket, on which a batch is bytes, or a WebSocket, on
 * which it is one text message. On a multiplexed connection every message begins with a line that names its session.
 *
 * <p>Decision 0007.
 */
public final class TextSink implements FrameSink {
    private final ConnectionWriter writer;
    private final Framing framing;
    private final byte[] header;
    private final Runnable end;
    /** Null for as much as the connection takes. */
    private final @Nullable Window window;

    /**
     * @param framing the framing of the connection's protocol
     * @param header a line before each message; empty for none
     * @param end called when the stream has ended
     */
    public TextSink(ConnectionWriter writer, Framing framing, byte[] header, Runnable end) {
        this(writer, framing, header, 0, end);
    }

    /** @param windowBytes how much of the stream is written that is not acknowledged; 0 for as much as the connection takes */
    public TextSink(ConnectionWriter writer, Framing framing, byte[] header, long windowBytes, Runnable end) {
        this.window = windowBytes == 0 ? null : new Window(windowBytes);
        this.writer = writer;
        this.framing = framing;
        this.header = header;
        this.end = end;
    }

    @Override
    public boolean isWritable() {
        return writer.isWritable() && (window == null || window.isOpen());
    }

    /** Whether there is room for a line about the connection. */
    boolean hasRoom() {
        return writer.isWritable();
    }

    /** The client has everything up to that frame. */
    void handleAck(long seq) {
        if (window != null) {
            window.handleAck(seq);
        }
    }

    @Override
    public void write(FrameBatch batch) {
        if (window != null) {
            window.handleWritten(batch.lastSeq(), batch.bytes());
        }
        if (header.length == 0) {
            writer.write(batch, framing);
        } else {
            writer.write(Unpooled.wrappedBuffer(header), batch.lines(), framing);
        }
    }

    /** Writes one line about the connection, which is not a frame of a stream. */
    public void writeLine(Record line) {
        writer.write(Unpooled.wrappedBuffer(header), Unpooled.wrappedBuffer(Json.writeLine(line)), framing);
    }

    /** Writes a message about the connection. */
    public void tell(ConnectionLine line) {
        writeLine((Record) line);
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        tell(new ConnectionLine.Gap(from, to, reason.wireName(), null));
    }

    @Override
    public void notice(ErrorCode code, String message) {
        tell(ConnectionLine.Refused.of(code, message));
    }

    @Override
    public void throttled(boolean throttled) {
        tell(ConnectionLine.State.of(throttled));
    }

    /** Reports why the connection ends and where to resume; the last line. */
    public void leave(ErrorCode why, String epoch, long nextSeq) {
        tell(lastLine(why, epoch, nextSeq));
    }

    static ConnectionLine lastLine(ErrorCode why, String epoch, long nextSeq) {
        String reason = switch (why) {
            case SLOW_READER -> "this connection took too little for too long; connect again and resume from frame ";
            case ATTACH_AUTH_EXPIRED -> "the token has expired or was revoked; with another one resume from frame ";
            default -> "the gateway stops; connect again and resume from frame ";
        };
        return ConnectionLine.Refused.last(why, reason + nextSeq, epoch, nextSeq);
    }

    /** Refuses something that came over this connection. */
    public void refuse(BrigException refusal) {
        tell(ConnectionLine.Refused.of(refusal));
    }

    @Override
    public Transport transport() {
        return framing == Framing.NONE ? Transport.UNIX : Transport.WEBSOCKET;
    }

    @Override
    public void flush() {
        writer.flush();
    }

    @Override
    public void end() {
        end.run();
    }
}
