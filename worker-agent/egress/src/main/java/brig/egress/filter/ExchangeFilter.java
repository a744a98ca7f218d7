package brig.egress.filter;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;

/**
 * One concern of a request and its answer on their way. Whatever it does not override passes as it is. Called on the event
 * loop of the worker, in the order of the methods here; bytes that a method takes belong to it, bytes that it gives to the
 * caller.
 *
 * <p>What has to do with the request throws a {@link brig.egress.secret.SecretRefusedException} where it may not be sent.
 */
public interface ExchangeFilter {
    /** Path and query. */
    default String target(String pathAndQuery) {
        return pathAndQuery;
    }

    /** The value of a header of the client. */
    default String header(String name, String value) {
        return value;
    }

    /** The head is made, and may be changed. */
    default void handleRequest(HttpRequest made) {}

    /** Whether {@link #body} may give other bytes than it takes. */
    default boolean changesBody() {
        return false;
    }

    /**
     * The next piece of the body.
     *
     * @param last whether it is the last one
     */
    default ByteBuf body(ByteBuf piece, boolean last) {
        return piece;
    }

    /** A server will get it now. */
    default void handleOpened() {}

    /** So many bytes of the body were given to the connection. */
    default void handleSent(int bytes) {}

    /** Whether {@link #answerBody} may give other bytes than it takes. */
    default boolean changesAnswer() {
        return false;
    }

    /** The head of the answer is there. It throws a {@link brig.egress.request.Refusal.RefusedException}. */
    default void handleAnswer(HttpResponse answer) {}

    /** The name or the value of a header of the answer. */
    default String answerHeader(String text) {
        return text;
    }

    /**
     * The next piece of the answer's body.
     *
     * @param last whether it is the last one
     */
    default ByteBuf answerBody(ByteBuf piece, boolean last) {
        return piece;
    }

    /** The exchange is over: answered, refused or broken off. Called once. */
    default void handleEnd() {}
}
