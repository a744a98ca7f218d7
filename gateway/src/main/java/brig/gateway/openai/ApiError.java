package brig.gateway.openai;

import brig.gateway.openai.message.ErrorBody;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Set;

/**
 * An error in the form of OpenAI's API: {@code {"error": {"message", "type", "param", "code"}}}. The code is Brig's or
 * the agent's.
 *
 * @param status the HTTP status, if the head of the answer is not sent yet
 */
public record ApiError(String code, String message, int status) {
    private static final int AGENT_STATUS = 502;

    /** From a model behind Brig these concern the operator's key, not the client's. */
    private static final Set<Integer> OF_THE_KEY = Set.of(401, 403, 407);

    /** The error of an agent's {@code error} frame; {@code modelStatus} is 0 if no model refused. */
    static ApiError ofAgent(String code, String message, int modelStatus) {
        boolean passed = modelStatus >= 400 && modelStatus < 600 && !OF_THE_KEY.contains(modelStatus);
        return new ApiError(code, message, passed ? modelStatus : AGENT_STATUS);
    }

    public static ApiError of(BrigException refusal) {
        return new ApiError(refusal.code().name(), String.valueOf(refusal.getMessage()), refusal.httpStatus());
    }

    static ApiError workerLost() {
        return of(new BrigException(ErrorCode.WORKER_LOST, "the worker ended before its answer did"));
    }

    /** The body for the API. */
    ErrorBody body() {
        String type = status < 500 ? status == 429 ? "rate_limit_error" : "invalid_request_error" : "server_error";
        return new ErrorBody(new ErrorBody.Failure(message, type, null, code));
    }

    /** Refuses a request; nothing may have been sent before. */
    public static void send(HttpServerResponse response, BrigException refusal) {
        refusal.retryAfterSeconds().ifPresent(seconds -> response.putHeader("Retry-After", String.valueOf(seconds)));
        of(refusal).send(response);
    }

    /** Sends this error; nothing may have been sent before. */
    void send(HttpServerResponse response) {
        response.setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(Buffer.buffer(Json.write(body())));
    }
}
