package brig.captain;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Hints;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import brig.protocol.rpc.RpcError;
import org.jspecify.annotations.Nullable;

/** An error answer to a request; the codes are those of JSON-RPC 2.0 and of the protocol. */
public final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public static final int RESOURCE_NOT_FOUND = -32002;

    private final transient RpcError error;

    public RpcException(int code, String message) {
        this(new RpcError(code, message, null));
    }

    public RpcException(RpcError error) {
        super(error.message(), null, false, false);
        this.error = error;
    }

    private record Data(String code, @Flat Hints hints) {}

    /** A refusal of Brig, with its code and hints in {@code data}. */
    public static RpcException of(BrigException refusal) {
        JsonObject data = JsonObject.of(new Data(refusal.code().name(), refusal.hints()));
        return new RpcException(new RpcError(code(refusal), words(refusal), data));
    }

    /** What a refusal says, and where it helps what to do about it. */
    public static String words(BrigException refusal) {
        return refusal.code() == ErrorCode.WORKSPACE_OUTSIDE_BASE
                ? refusal.getMessage() + "; a folder above it goes into worker.workspaceBases of brig.json"
                : refusal.getMessage();
    }

    private static int code(BrigException refusal) {
        return switch (refusal.code()) {
            case NOT_FOUND -> RESOURCE_NOT_FOUND;
            case INVALID_FIELD, LINE_TOO_LONG, UNKNOWN_AGENT, UNKNOWN_POLICY, WORKSPACE_OUTSIDE_BASE ->
                RpcError.INVALID_PARAMS;
            default -> RpcError.INTERNAL_ERROR;
        };
    }

    /** A failed turn; null for no data. */
    public static RpcException failed(String message, @Nullable JsonObject data) {
        return new RpcException(new RpcError(RpcError.INTERNAL_ERROR, message, data));
    }

    public RpcError error() {
        return error;
    }
}
