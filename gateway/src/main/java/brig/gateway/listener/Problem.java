package brig.gateway.listener;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** Refusals as answers: a line on sockets, {@code application/problem+json} (RFC 9457) over HTTP. */
final class Problem {
    private Problem() {}

    /** {@code {"error", "code", "retry_after_seconds"?}}. */
    static Map<String, Object> line(BrigException refusal) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("error", refusal.getMessage());
        line.put("code", refusal.code().name());
        refusal.retryAfterSeconds().ifPresent(seconds -> line.put("retry_after_seconds", seconds));
        return line;
    }

    /** Answers with the problem; nothing was sent before. */
    static void send(HttpServerResponse response, BrigException refusal) {
        int status = refusal.code().httpStatus();
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", "about:blank");
        body.put("title", refusal.code().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '));
        body.put("status", status);
        body.put("detail", refusal.getMessage());
        body.put("code", refusal.code().name());
        refusal.retryAfterSeconds().ifPresent(seconds -> {
            body.put("retry_after_seconds", seconds);
            response.putHeader("Retry-After", String.valueOf(seconds));
        });
        if (status == 401) {
            response.putHeader("WWW-Authenticate", "Bearer realm=\"brig\"");
        }
        response.setStatusCode(status).putHeader("Content-Type", "application/problem+json");
        response.end(Buffer.buffer(Json.write(body)));
    }

    /** What a failed stage failed with, as a refusal. */
    static BrigException refusal(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof BrigException refusal ? refusal
                : new BrigException(ErrorCode.INTERNAL, "internal error: " + cause);
    }
}
