package brig.egress.filter;

import brig.egress.secret.Secrets;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;

/**
 * A filter of requests and their answers. Methods that it does not override change nothing. They are called on the
 * worker's event loop, in the order of this interface. A method owns the bytes that it takes; the caller owns those
 * that it returns.
 *
 * <p>Request methods throw a {@link brig.egress.secret.SecretRefusedException} or a {@link
 * brig.egress.request.Refusal.RefusedException} if the request must not be sent.
 */
public interface ExchangeFilter {
    /** Filters path and query. */
    default String target(String pathAndQuery) {
        return pathAndQuery;
    }

    /** Filters a header value of the client. */
    default String header(String name, String value) {
        return value;
    }

    /** Handles the finished head, which it may change. */
    default void handleRequest(HttpRequest made) {}

    /** The request is sent again: handles its head with other values of secrets. */
    default void handleSecrets(Secrets now, HttpRequest made) {}

    /** Whether {@link #body} must get the whole body at once, before any of it is sent. */
    default boolean readsWholeBody() {
        return false;
    }

    /** Whether {@link #body} may change bytes. */
    default boolean changesBody() {
        return false;
    }

    /**
     * Filters the next piece of the body.
     *
     * @param last whether it is the last one
     */
    default ByteBuf body(ByteBuf piece, boolean last) {
        return piece;
    }

    /** The connection to the server is open. */
    default void handleOpened() {}

    /** Counts bytes of the body that were written to the connection. */
    default void handleSent(int bytes) {}

    /** Whether {@link #answerBody} may change bytes. */
    default boolean changesAnswer() {
        return false;
    }

    /** Handles the head of the answer. It may throw a {@link brig.egress.request.Refusal.RefusedException}. */
    default void handleAnswer(HttpResponse answer) {}

    /** Filters the name or value of an answer's header. */
    default String answerHeader(String text) {
        return text;
    }

    /**
     * Filters the next piece of the answer's body.
     *
     * @param last whether it is the last one
     */
    default ByteBuf answerBody(ByteBuf piece, boolean last) {
        return piece;
    }

    /** The exchange ended: answered, refused or aborted. Called once. */
    default void handleEnd() {}
}
