package brig.gateway.cluster;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;

/**
 * The owner of a host, as all gateways see it.
 *
 * @param gateway its name, empty if it gave the host up
 * @param instance of its folder of state
 * @param term of the last owner, also if it gave the host up
 * @param up whether the host is in reach
 */
@Extensible
public record OwnerEntry(
        String gateway,
        String instance,
        @OmitEmpty long term,
        @OmitEmpty boolean up) {}
