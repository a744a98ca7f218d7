package brig.egress.proxy;

import brig.egress.filter.ExchangeFilter;
import brig.egress.http.Headers;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

/** The answer to one request, passed back through the filters. State owned by the worker's event loop. */
final class Answer {
    /** The result of handling a part. */
    enum Step {
        GOES_ON,
        /** The answer is complete. */
        ENDED,
        /** The server switched to another protocol. */
        SWITCHED
    }

    private static final int SWITCHING = 101;
    private static final int FINAL = 200;

    private final HttpFront front;
    private final HttpRequest request;
    private final ExchangeFilter filters;
    private boolean begun;
    private boolean informational;
    private boolean switching;
    private boolean serverKeepsAlive;
    private boolean endsWithConnection;

    Answer(HttpFront front, HttpRequest request, ExchangeFilter filters) {
        this.front = front;
        this.request = request;
        this.filters = filters;
    }

    /** Whether the client received its head. */
    boolean begun() {
        return begun;
    }

    /** Whether the server's connection can be reused. */
    boolean serverKeepsAlive() {
        return serverKeepsAlive;
    }

    /** Whether only the end of the connection marks the end of the answer. */
    boolean endsWithConnection() {
        return endsWithConnection;
    }

    /** Forwards a part and releases it. It may throw a {@link brig.egress.request.Refusal.RefusedException}. */
    Step handle(HttpObject part) {
        boolean handled = false;
        try {
            if (part instanceof HttpResponse response) {
                handleHead(response);
            }
            handled = true;
        } finally {
            if (!handled && part instanceof HttpContent content) {
                content.release();
            }
        }
        return part instanceof HttpContent content ? handleContent(content) : Step.GOES_ON;
    }

    private void handleHead(HttpResponse response) {
        int code = response.status().code();
        switching = code == SWITCHING && Headers.isWebSocket(request);
        informational = code < FINAL && !switching;
        if (informational) {
            return;
        }
        filters.handleAnswer(response);
        begun = true;
        serverKeepsAlive = HttpUtil.isKeepAlive(response)
                && (HttpUtil.isTransferEncodingChunked(response)
                        || HttpUtil.isContentLengthSet(response)
                        || Headers.hasNoBody(request, code));
        HttpResponse made = Headers.back(request, response, filters);
        endsWithConnection = !Headers.hasNoBody(request, code)
                && !switching
                && !HttpUtil.isTransferEncodingChunked(made)
                && !HttpUtil.isContentLengthSet(made);
        if (!switching) {
            boolean keeps = HttpUtil.isKeepAlive(request) && !endsWithConnection;
            made.headers().set(HttpHeaderNames.CONNECTION, keeps ? "keep-alive" : "close");
        }
        front.write(made);
    }

    private Step handleContent(HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (informational) {
            informational = !last;
            content.release();
            return Step.GOES_ON;
        }
        if (switching && last) {
            content.release();
            return Step.SWITCHED;
        }
        ByteBuf filtered = filters.answerBody(content.content(), last);
        if (filtered.isReadable()) {
            front.write(new DefaultHttpContent(filtered));
        } else {
            filtered.release();
        }
        if (!last) {
            return Step.GOES_ON;
        }
        front.write(LastHttpContent.EMPTY_LAST_CONTENT);
        return Step.ENDED;
    }
}
