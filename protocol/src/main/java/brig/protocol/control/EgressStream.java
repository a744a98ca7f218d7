package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a program behind a wall, to be served at home.
 *
 * <p>Decision 0160.
 *
 * @param address the IPv4 address that the program dialled, with its port; null and 0 unless {@code TRANSPARENT}
 */
public record EgressStream(
        String spawnId,
        Role role,
        @Nullable String address,
        @OmitEmpty @Range(max = LinkPurpose.PORT_MAX) int port) {
    /** What the program speaks. {@code DNS} is that of TCP: each message has its length in front. */
    public enum Role {
        PROXY,
        MODEL,
        TRANSPARENT,
        DNS
    }

    private static final Pattern ADDRESS =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    public EgressStream {
        if (!Ids.isSpawnId(spawnId)) {
            throw BrigException.invalid("spawn_id", "is none");
        }
        boolean transparent = role == Role.TRANSPARENT;
        if (transparent != (address != null) || transparent == (port == 0)) {
            throw BrigException.invalid("address", "and port belong to a transparent connection, and to no other");
        }
        if (address != null && !ADDRESS.matcher(address).matches()) {
            throw BrigException.invalid("address", "is not an IPv4 address");
        }
    }
}
