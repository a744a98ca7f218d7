package brig.captain;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.rpc.RpcError;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON-RPC 2.0, a message a line, and hands on what is well-formed. A bad line becomes an error, and reading goes
 * on. One thread.
 */
public final class RpcReader implements LineDecoder.Sink {
    private static final int READ_BYTES = 64 * 1024;
    /** A prompt in its envelope, with further fields of the client. */
    private static final int LINE_BYTES_MAX = 4 * 1024 * 1024;

    /** Receives what is read, on the reading thread. */
    public interface Handler {
        /**
         * A request or a notification.
         *
         * @param request whether it is to be answered
         * @param id of the request, a string, a whole number or null
         */
        void handle(Call call, boolean request, @Nullable Object id);

        /** An answer to a request of this side. */
        void handleAnswer(JsonObject message);

        /** A line that is refused; null for an unknown id. */
        void handleFault(@Nullable Object id, RpcException fault);
    }

    /** A request or a notification of the client. */
    @Extensible
    public record Call(String method, @Nullable JsonObject params) {
        /** Its parameters; empty if it has none. */
        public JsonObject given() {
            return params == null ? JsonObject.EMPTY : params;
        }
    }

    private final Handler handler;

    public RpcReader(Handler handler) {
        this.handler = handler;
    }

    /**
     * Reads until the input ends.
     *
     * @param log takes a sentence if it breaks
     */
    public void run(InputStream in, Consumer<String> log) {
        LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, this);
        byte[] buffer = new byte[READ_BYTES];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                lines.decode(buffer, 0, count);
            }
        } catch (IOException e) {
            log.accept("the client's end broke: " + e.getMessage());
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        handler.handleFault(
                null,
                new RpcException(
                        RpcError.PARSE_ERROR,
                        switch (code) {
                            case LINE_TOO_LONG -> "a line has at most " + LINE_BYTES_MAX + " bytes";
                            case NUL_BYTE -> "a line has no NUL byte";
                            default -> "a line is UTF-8";
                        }));
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        JsonObject message;
        try {
            message = JsonObject.read(bytes, offset, length);
        } catch (BrigException malformed) {
            int code = bytes[offset] == '[' ? RpcError.INVALID_REQUEST : RpcError.PARSE_ERROR;
            handler.handleFault(null, new RpcException(code, malformed.getMessage()));
            return;
        }
        Object id = message.value("id");
        if (id != null && !(id instanceof String || id instanceof Long)) {
            refuse(null, "an id is a string, a whole number or null");
        } else if (!"2.0".equals(message.value("jsonrpc"))) {
            refuse(id, "jsonrpc must be \"2.0\"");
        } else if (message.has("method")) {
            handleCall(message, id);
        } else if (message.has("result") || message.has("error")) {
            handler.handleAnswer(message);
        } else {
            refuse(id, "neither a method nor an answer");
        }
    }

    private void handleCall(JsonObject message, @Nullable Object id) {
        boolean request = message.names().contains("id");
        Call call;
        try {
            call = message.as(Call.class);
        } catch (BrigException wrong) {
            handler.handleFault(request ? id : null, RpcException.of(wrong));
            return;
        }
        handler.handle(call, request, id);
    }

    private void refuse(@Nullable Object id, String why) {
        handler.handleFault(id, new RpcException(RpcError.INVALID_REQUEST, why));
    }
}
