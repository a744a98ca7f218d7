package brig.protocol.wire;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.json.Json;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits a worker's byte stream into frames. Every line is bounded; its type and sequence number are read, its bytes
 * left unchanged.
 *
 * <p>The worker-agent writes type and seq first, {@code {"type":"chunk","seq":7,…}}; that order is read without a JSON
 * parser. Any other order is legal and parsed. Not thread-safe: one thread owns it.
 */
public final class FrameDecoder {
    /** Receives frames, in order. */
    public interface Sink {
        /**
         * One frame. The bytes are the whole line with its newline, valid during the call only.
         *
         * @param seq the frame's number, from 1 to {@link Limits#SEQ_MAX}
         */
        void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length);

        /** A line that is not a frame was dropped. */
        void handleBadFrame(ErrorCode code);
    }

    private static final byte[] TYPE_PREFIX = "{\"type\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SEQ_PREFIX = "\",\"seq\":".getBytes(StandardCharsets.US_ASCII);
    private static final int SEQ_DIGITS_MAX = 16;
    private static final FrameType[] TYPES = FrameType.values();
    private static final byte[][] NAMES = new byte[TYPES.length][];

    static {
        for (int i = 0; i < TYPES.length; i++) {
            NAMES[i] = TYPES[i].wireName().getBytes(StandardCharsets.US_ASCII);
        }
    }

    private final LineDecoder lines;
    private final Sink sink;

    public FrameDecoder(Sink sink) {
        this.sink = sink;
        this.lines = new LineDecoder(Limits.FRAME_BYTES_MAX, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                readFrame(bytes, offset, length);
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                sink.handleBadFrame(code);
            }
        });
    }

    /** Processes the next bytes of the stream. */
    public void decode(byte[] bytes, int offset, int length) {
        lines.decode(bytes, offset, length);
    }

    /** Whether the next byte begins a line. */
    public boolean isAtLineStart() {
        return lines.isAtLineStart();
    }

    private void readFrame(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int name = offset + TYPE_PREFIX.length;
        if (startsWith(bytes, offset, end, TYPE_PREFIX)) {
            int quote = name;
            while (quote < end && bytes[quote] != '"' && bytes[quote] != '\\') {
                quote++;
            }
            int digits = quote + SEQ_PREFIX.length;
            if (startsWith(bytes, quote, end, SEQ_PREFIX) && bytes[end - 1] == '}') {
                long seq = readSeq(bytes, digits, end);
                if (seq > 0 && seq <= Limits.SEQ_MAX) {
                    sink.handleFrame(typeOf(bytes, name, quote), seq, bytes, offset, length + 1);
                    return;
                }
            }
        }
        parseFrame(bytes, offset, length);
    }

    /** The digits up to a comma or the last brace as a number; -1 for anything else, 0 for a leading zero. */
    private static long readSeq(byte[] bytes, int from, int end) {
        if (from < end && bytes[from] == '0') {
            return 0;
        }
        long seq = 0;
        for (int at = from; at < end && at - from <= SEQ_DIGITS_MAX; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return bytes[at] == ',' || (bytes[at] == '}' && at == end - 1) ? seq : -1;
            }
            seq = seq * 10 + digit;
        }
        return -1;
    }

    private static FrameType typeOf(byte[] bytes, int from, int to) {
        for (int i = 0; i < NAMES.length; i++) {
            byte[] name = NAMES[i];
            if (name.length == to - from && startsWith(bytes, from, to, name)) {
                return TYPES[i];
            }
        }
        return FrameType.UNKNOWN;
    }

    private static boolean startsWith(byte[] bytes, int at, int end, byte[] prefix) {
        if (end - at < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (bytes[at + i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    private void parseFrame(byte[] bytes, int offset, int length) {
        @Nullable String type = null;
        long seq = 0;
        try (JsonParser parser = Json.STRICT.createParser(bytes, offset, length)) {
            boolean object = parser.nextToken() == JsonToken.START_OBJECT;
            while (object && parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("type") && value == JsonToken.VALUE_STRING) {
                    type = parser.getText();
                } else if (field.equals("seq") && value == JsonToken.VALUE_NUMBER_INT) {
                    seq = parser.getLongValue();
                }
                parser.skipChildren();
            }
            if (type == null || seq <= 0 || seq > Limits.SEQ_MAX || parser.nextToken() != null) {
                sink.handleBadFrame(ErrorCode.INVALID_FIELD);
                return;
            }
        } catch (IOException e) {
            sink.handleBadFrame(ErrorCode.MALFORMED_JSON);
            return;
        }
        sink.handleFrame(FrameType.of(type), seq, bytes, offset, length + 1);
    }
}
