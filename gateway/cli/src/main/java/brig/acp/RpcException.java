package brig.acp;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error; the codes are those of JSON-RPC 2.0 and of the protocol. */
final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;
    static final int RESOURCE_NOT_FOUND = -32002;

    private final int code;
    private final transient Map<String, Object> data;

    RpcException(int code, String message) {
        this(code, message, Map.of());
    }

    private RpcException(int code, String message, Map<String, Object> data) {
        super(message, null, false, false);
        this.code = code;
        this.data = data;
    }

    /** A refusal of Brig: its code and its hints are in {@code data}. */
    static RpcException of(BrigException refusal) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("code", refusal.code().name());
        refusal.retryAfterSeconds().ifPresent(seconds -> data.put("retry_after_seconds", seconds));
        data.putAll(refusal.fields());
        String more = refusal.code() == ErrorCode.WORKSPACE_OUTSIDE_BASE
                ? "; a folder above it goes into worker.workspaceBases of brig.json"
                : "";
        return new RpcException(code(refusal), refusal.getMessage() + more, data);
    }

    private static int code(BrigException refusal) {
        return switch (refusal.code()) {
            case NOT_FOUND -> RESOURCE_NOT_FOUND;
            case INVALID_FIELD, LINE_TOO_LONG, UNKNOWN_AGENT, UNKNOWN_POLICY, WORKSPACE_OUTSIDE_BASE -> INVALID_PARAMS;
            default -> INTERNAL_ERROR;
        };
    }

    /** A turn that came to nothing. */
    static RpcException failed(String message, Map<String, Object> data) {
        return new RpcException(INTERNAL_ERROR, message, data);
    }

    Map<String, @Nullable Object> error() {
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("message", String.valueOf(getMessage()));
        if (!data.isEmpty()) {
            error.put("data", data);
        }
        return error;
    }
}
