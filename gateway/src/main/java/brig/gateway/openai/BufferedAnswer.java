package brig.gateway.openai;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/** An answer as one object, sent when the turn is over. */
abstract class BufferedAnswer implements Answer {
    private final HttpServerResponse response;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder thought = new StringBuilder();
    private @Nullable AskCall call;

    BufferedAnswer(HttpServerResponse response) {
        this.response = response;
    }

    @Override
    public final boolean isWritable() {
        return true;
    }

    @Override
    public final void text(String more) {
        append(text, more);
    }

    @Override
    public final void thought(String more) {
        append(thought, more);
    }

    /** Nobody reads along, and the wait is over when the answer is sent. */
    @Override
    public final void waits(String what) {
        thought(what);
    }

    @Override
    public final void call(AskCall wanted) {
        call = wanted;
    }

    /** The call of the client's tool; null for none. */
    @Nullable
    AskCall call() {
        return call;
    }

    private static void append(StringBuilder to, String more) {
        to.append(more, 0, Math.min(more.length(), CHARACTERS_MAX + 1 - to.length()));
    }

    @Override
    public final void done(Usage used) {
        if (text.length() > CHARACTERS_MAX || thought.length() > CHARACTERS_MAX) {
            fail(tooLong());
        } else {
            response.putHeader("Content-Type", "application/json")
                    .end(Buffer.buffer(Json.write(whole(text.toString(), thought.toString(), used))));
        }
    }

    static ApiError tooLong() {
        return ApiError.of(new BrigException(
                ErrorCode.BODY_TOO_LARGE,
                "the answer has more than " + CHARACTERS_MAX
                        + " characters: ask for it at chat/completions with \"stream\": true"));
    }

    /** The answer in its API form. */
    abstract Record whole(String said, String thoughts, Usage used);

    @Override
    public final void fail(ApiError why) {
        why.send(response);
    }

    @Override
    public final void close() {
        // Nothing to close.
    }
}
