package brig.gateway.provider;

import brig.protocol.Ids;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a sandbox is called. The name alone says whose it is: a create whose answer was lost is found by it, and nothing is
 * ever taken for ours by its time or its look.
 *
 * @param gatewayId 12 hexadecimal digits
 */
record SandboxName(String gatewayId, String spawnId) {
    private static final String SPAWN = "spn_";

    /** What the names of all sandboxes of a gateway begin with. */
    static String prefix(String gatewayId) {
        return "brig-" + gatewayId + "-";
    }

    /** The name of a sandbox of that gateway; empty if it is another's. */
    static Optional<SandboxName> read(String gatewayId, String name) {
        String prefix = prefix(gatewayId);
        String spawnId = name.startsWith(prefix) ? SPAWN + name.substring(prefix.length()) : "";
        return Ids.isSpawnId(spawnId) ? Optional.of(new SandboxName(gatewayId, spawnId)) : Optional.empty();
    }

    /** How the session's host is called. */
    static String host(String spawnId) {
        return "sb-" + spawnId.substring(SPAWN.length());
    }

    Map<String, String> labels(@Nullable String requestId) {
        return Map.of("gateway", gatewayId, "spawn_id", spawnId, "request_id", requestId == null ? spawnId : requestId);
    }

    @Override
    public String toString() {
        return prefix(gatewayId) + spawnId.substring(SPAWN.length());
    }
}
