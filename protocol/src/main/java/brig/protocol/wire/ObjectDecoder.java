package brig.protocol.wire;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.json.Utf8;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * Reads consecutive JSON objects, each passed on at its closing brace, so a client may omit the newline and wait for
 * its answer. White space between objects is ignored. After an error nothing more is read, since the next object's
 * start is unknown. Not thread-safe: one thread owns it.
 */
public final class ObjectDecoder {
    /** Receives objects in order, and at most one error, which is the last call. */
    public interface Sink {
        void handleObject(JsonObject object);

        void handleFault(BrigException fault);
    }

    private final int objectBytesMax;
    private final Sink sink;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private JsonParser parser = newParser();
    private int depth;
    private boolean failed;

    public ObjectDecoder(int objectBytesMax, Sink sink) {
        this.objectBytesMax = objectBytesMax;
        this.sink = sink;
    }

    /** Processes the next bytes of the stream. */
    public void decode(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end && !failed) {
            if (pending.size() == 0 && isSpace(bytes[at])) {
                at++;
            } else {
                int closing = nextClosingBrace(bytes, at, end);
                feed(bytes, at, closing);
                at = closing;
            }
        }
    }

    /** Feeds bytes in which at most the last one ends an object. */
    private void feed(byte[] bytes, int from, int to) {
        JsonObject object;
        try {
            if (pending.size() == 0 && bytes[from] != '{') {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "a request is one JSON object");
            }
            pending.write(bytes, from, to - from);
            if (pending.size() > objectBytesMax) {
                throw new BrigException(ErrorCode.LINE_TOO_LONG, "a request may have " + objectBytesMax + " bytes");
            }
            ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).feedInput(bytes, from, to);
            if (!endsObject()) {
                return;
            }
            object = JsonObject.read(pending.toByteArray());
        } catch (IOException e) {
            fail(Utf8.isMalformed(pending.toByteArray()) ? Json.notUtf8() : Json.malformed(e));
            return;
        } catch (BrigException e) {
            fail(e);
            return;
        }
        pending.reset();
        parser = newParser();
        sink.handleObject(object);
    }

    /** One past the next brace that might end the object, so that bytes of the next object never reach this parser. */
    private static int nextClosingBrace(byte[] bytes, int from, int end) {
        for (int at = from; at < end; at++) {
            if (bytes[at] == '}') {
                return at + 1;
            }
        }
        return end;
    }

    /** Parses what was fed; true if the object was closed. */
    private boolean endsObject() throws IOException {
        for (JsonToken token = parser.nextToken(); token != JsonToken.NOT_AVAILABLE; token = parser.nextToken()) {
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (depth == 0) {
                return true;
            }
        }
        return false;
    }

    private void fail(BrigException fault) {
        failed = true;
        sink.handleFault(fault);
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static JsonParser newParser() {
        try {
            return Json.STRICT.createNonBlockingByteArrayParser();
        } catch (IOException e) {
            throw new IllegalStateException("a parser over no input failed", e);
        }
    }
}
