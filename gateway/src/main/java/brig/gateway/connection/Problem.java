package brig.gateway.connection;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.refusal.ErrorAnswer;
import brig.protocol.refusal.NotReady;
import brig.protocol.refusal.ProblemDetails;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** Refusals as answers: a line on sockets, {@code application/problem+json} (RFC 9457) over HTTP. */
public final class Problem {
    private Problem() {}

    /** The line for a socket. */
    public static ErrorAnswer line(BrigException refusal) {
        return ErrorAnswer.of(refusal);
    }

    /** Prevents browsers from guessing another content type, such as markup. */
    public static HttpServerResponse unguessed(HttpServerResponse response) {
        return response.putHeader("X-Content-Type-Options", "nosniff");
    }

    /** Sends the problem; nothing may have been sent before. */
    public static void send(HttpServerResponse response, BrigException refusal) {
        int status = refusal.httpStatus();
        refusal.retryAfterSeconds().ifPresent(seconds -> response.putHeader("Retry-After", String.valueOf(seconds)));
        if (status == 401) {
            response.putHeader("WWW-Authenticate", "Bearer realm=\"brig\"");
        }
        unguessed(response).setStatusCode(status).putHeader("Content-Type", "application/problem+json");
        Record body = refusal.code() == ErrorCode.SESSION_NOT_READY ? NotReady.of(refusal) : ProblemDetails.of(refusal);
        response.end(Buffer.buffer(Json.write(body)));
    }

    /** The whole response as bytes, for a connection without a readable request; the caller closes it afterwards. */
    public static byte[] response(BrigException refusal) {
        int status = refusal.httpStatus();
        byte[] body = Json.write(ProblemDetails.of(refusal));
        StringBuilder head = new StringBuilder("HTTP/1.1 " + HttpResponseStatus.valueOf(status)
                + "\r\nContent-Type: application/problem+json\r\nConnection: close\r\nContent-Length: " + body.length
                + "\r\n");
        refusal.retryAfterSeconds()
                .ifPresent(
                        seconds -> head.append("Retry-After: ").append(seconds).append("\r\n"));
        return Buffer.buffer(head.append("\r\n").toString()).appendBytes(body).getBytes();
    }

    /** The failure of a stage, as a refusal. */
    public static BrigException refusal(Throwable failure) {
        Throwable cause = Reason.cause(failure);
        return cause instanceof BrigException refusal
                ? refusal
                : new BrigException(ErrorCode.INTERNAL, "internal error: " + cause);
    }
}
