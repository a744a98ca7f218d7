package brig.protocol.rpc;

import brig.protocol.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Why a request failed.
 *
 * @param code one of the constants here, or one of the protocol that is spoken over JSON-RPC
 * @param message a sentence for a person
 * @param data what a program may want to know besides; null for nothing
 */
public record RpcError(int code, String message, @Nullable JsonObject data) {
    /** The line is not JSON. */
    public static final int PARSE_ERROR = -32700;

    /** The line is JSON and no message, or one that does not fit now. */
    public static final int INVALID_REQUEST = -32600;

    /** There is no such method, or no wish to serve it. */
    public static final int METHOD_NOT_FOUND = -32601;

    public static final int INVALID_PARAMS = -32602;

    public static final int INTERNAL_ERROR = -32603;
}
