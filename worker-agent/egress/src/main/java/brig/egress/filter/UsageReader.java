package brig.egress.filter;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads token counts from a model API's answer without delaying it: from stream events, or from a JSON document. It
 * knows the fields of Anthropic's and OpenAI's APIs, and ignores what it does not understand or finds too long.
 *
 * <p>Decision 0125.
 */
final class UsageReader {
    private static final int LINE_BYTES_MAX = 1024 * 1024;
    private static final int DOCUMENT_BYTES_MAX = 1024 * 1024;
    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] USAGE = "\"usage\"".getBytes(StandardCharsets.US_ASCII);

    private final LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, new LineDecoder.Sink() {
        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            UsageReader.this.handleLine(bytes, offset, length);
        }

        @Override
        public void handleBadLine(ErrorCode code) {
            // The event has no readable token counts.
        }
    });
    private TokenCount tokens = TokenCount.NONE;
    private boolean stream;
    private @Nullable ByteArrayOutputStream document;

    void handleHead(HttpResponse response) {
        String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        stream = type.startsWith("text/event-stream");
        document = type.startsWith("application/json") ? new ByteArrayOutputStream() : null;
    }

    void handleBytes(ByteBuf content) {
        if (stream) {
            byte[] bytes = ByteBufUtil.getBytes(content);
            lines.decode(bytes, 0, bytes.length);
        } else if (document != null) {
            document.writeBytes(ByteBufUtil.getBytes(content));
            if (document.size() > DOCUMENT_BYTES_MAX) {
                document = null;
            }
        }
    }

    private void handleLine(byte[] bytes, int offset, int length) {
        if (length > DATA.length && startsWith(bytes, offset, DATA) && contains(bytes, offset, length, USAGE)) {
            read(bytes, offset + DATA.length, length - DATA.length);
        }
    }

    private static boolean startsWith(byte[] bytes, int offset, byte[] start) {
        for (int i = 0; i < start.length; i++) {
            if (bytes[offset + i] != start[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(byte[] bytes, int offset, int length, byte[] piece) {
        for (int at = offset; at <= offset + length - piece.length; at++) {
            if (bytes[at] == piece[0] && startsWith(bytes, at, piece)) {
                return true;
            }
        }
        return false;
    }

    private void read(byte[] bytes, int offset, int length) {
        try {
            tokens = tokens.with(Json.read(bytes, offset, length, ModelAnswer.class));
        } catch (BrigException notJson) {
            // Some other document.
        }
    }

    /** The counts, after the end of the answer. */
    TokenCount finish() {
        if (document != null) {
            byte[] bytes = document.toByteArray();
            read(bytes, 0, bytes.length);
        }
        return tokens;
    }
}
