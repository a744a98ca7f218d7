package brig.protocol.rpc;

import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The error of a failed request.
 *
 * @param code one of the constants here, or of the protocol on top of JSON-RPC
 * @param message a sentence for a person
 * @param data further content for programs; null for none
 */
public record RpcError(int code, String message, @Nullable JsonObject data) {
    /** The line is not JSON. */
    public static final int PARSE_ERROR = -32700;

    /** The line is JSON but not a message, or not one allowed now. */
    public static final int INVALID_REQUEST = -32600;

    /** The method does not exist or is not served. */
    public static final int METHOD_NOT_FOUND = -32601;

    public static final int INVALID_PARAMS = -32602;

    public static final int INTERNAL_ERROR = -32603;
}
