package brig.gateway.api;

import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.TextSink;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.Answers;
import brig.protocol.control.Message;
import brig.protocol.spawn.TerminalSize;
import io.vertx.core.net.NetSocket;

/**
 * The back channel to a {@code brig track} client: acknowledges recorded frames, and pauses it when subscribers are
 * slow. Owned by the event loop.
 */
final class TrackClientStream implements WorkerStream {
    private final NetSocket socket;
    private final TextSink sink;
    private final ConnectionWriter writer;

    TrackClientStream(NetSocket socket, TextSink sink, ConnectionWriter writer) {
        this.socket = socket;
        this.sink = sink;
        this.writer = writer;
    }

    @Override
    public void pause() {
        socket.pause();
    }

    @Override
    public void resume() {
        socket.resume();
    }

    @Override
    public void ack(long seq) {
        sink.writeLine(new Answers.Ack(seq));
        sink.flush();
    }

    @Override
    public void input(Message message) {
        throw notStarted();
    }

    @Override
    public void keys(String keys) {
        throw notStarted();
    }

    @Override
    public void resize(TerminalSize size) {
        throw notStarted();
    }

    @Override
    public void cancel() {
        throw notStarted();
    }

    private static BrigException notStarted() {
        return new BrigException(
                ErrorCode.INPUT_NOT_ACCEPTED,
                "Brig did not start this agent and only tracks it: write to it where it was started");
    }

    @Override
    public void close() {
        writer.finish();
    }
}
