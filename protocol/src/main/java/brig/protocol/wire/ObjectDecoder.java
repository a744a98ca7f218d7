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
 * Reads JSON objects that follow one another, each handed on as soon as its last brace is there: a client may omit the
 * newline and simply wait for its answer. White space between objects is ignored. After a fault nothing more is read,
 * because there is no telling where the next object begins. State is owned by one thread.
 */
public final class ObjectDecoder {
    /** Receives objects, in order, and at most one fault, which is the last call. */
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

    /** Takes the next bytes of the stream. */
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

    /** Takes bytes of which at most the last one ends an object. */
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

    /** One past the next brace that might end the object: never a byte of the next object is fed to this parser. */
    private static int nextClosingBrace(byte[] bytes, int from, int end) {
        for (int at = from; at < end; at++) {
            if (bytes[at] == '}') {
                return at + 1;
            }
        }
        return end;
    }

    /** Reads what was fed, and tells whether that closed the object. */
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
