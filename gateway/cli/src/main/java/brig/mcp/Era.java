package brig.mcp;

import brig.captain.RpcException;
import brig.mcp.message.ServerInfo;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.RpcError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a request says which version of the protocol it is of. One process serves both at the same time. */
enum Era {
    /** Once, with {@code initialize}. */
    LEGACY,
    /** Each request by itself, in {@code _meta}. */
    MODERN;

    private static final String VERSION = "io.modelcontextprotocol/protocolVersion";
    private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
    private static final String SERVER = "io.modelcontextprotocol/serverInfo";

    private static final String MODERN_VERSION = "2026-07-28";
    private static final List<String> LEGACY_VERSIONS = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");
    /** For requests that name their version; the others are for {@code initialize}. */
    static final List<String> MODERN_VERSIONS = List.of(MODERN_VERSION);

    private static final int UNSUPPORTED_VERSION = -32022;

    private record Unsupported(List<String> supported, String requested) {}

    /**
     * The era of a request.
     *
     * @throws RpcException for a version that is not served, or a request of the new era without its mandatory fields
     */
    static Era of(String method, JsonObject params) {
        JsonObject meta = params.object("_meta");
        boolean modern = meta.has(VERSION) || method.equals("server/discover");
        if (!modern) {
            return LEGACY;
        }
        String version = meta.text(VERSION);
        if (version == null || !(meta.value(CAPABILITIES) instanceof JsonObject)) {
            throw new RpcException(RpcError.INVALID_PARAMS, "_meta must have " + VERSION + " and " + CAPABILITIES);
        }
        if (!version.equals(MODERN_VERSION)) {
            throw new RpcException(new RpcError(
                    UNSUPPORTED_VERSION,
                    "this version of the protocol is not served",
                    JsonObject.of(new Unsupported(MODERN_VERSIONS, version))));
        }
        return MODERN;
    }

    /** The version for a client that asks for another one with {@code initialize}. */
    static String negotiated(@Nullable String asked) {
        return asked != null && LEGACY_VERSIONS.contains(asked) ? asked : LEGACY_VERSIONS.getFirst();
    }

    /** The result as a client of this era expects it. */
    JsonObject result(JsonObject plain, ServerInfo.Implementation server) {
        return this == LEGACY
                ? plain
                : plain.with("resultType", "complete")
                        .with("_meta", JsonObject.EMPTY.with(SERVER, JsonObject.of(server)));
    }

    /** The same for a result that may be cached, which this one never is for long. */
    JsonObject cacheable(JsonObject result, boolean lasting) {
        return this == LEGACY
                ? result
                : result.with("ttlMs", lasting ? 3_600_000L : 0L).with("cacheScope", lasting ? "public" : "private");
    }
}
