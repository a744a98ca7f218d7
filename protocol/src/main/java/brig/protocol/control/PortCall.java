package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;

/**
 * The first line of the gateway on a connection to {@code ports.sock}.
 *
 * @param port of an agent's server on 127.0.0.1 inside its wall
 */
public record PortCall(
        @NotEmpty String spawnId,
        @Range(min = 1, max = PORT_MAX) int port) {
    public static final int PORT_MAX = 65_535;

    public PortCall {
        if (port == 0 || !Ids.isSpawnId(spawnId)) {
            throw BrigException.invalid(port == 0 ? "port" : "spawn_id", "is missing or none");
        }
    }
}
