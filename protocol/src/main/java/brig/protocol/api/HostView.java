package brig.protocol.api;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host and its link.
 *
 * @param configured whether it is one of the settings; otherwise it was added at run time
 * @param ssh what {@code ssh} is told to connect to; null for who may not know
 * @param percent how much of the payload is there; null unless it is on its way
 * @param reason why it is not up, or what is worse than it could be; null for nothing
 * @param mend what a person can do; null for nothing
 * @param retryS seconds to the next attempt; null for none
 * @param workers live workers there
 * @param workersMax as many may be; 0 for no limit
 * @param version of the payload that runs there; null if that is not known
 * @param tunnelOnly whether it is for tunnels alone
 * @param sinceMs since when it is in that state, in milliseconds since 1970
 */
@Extensible
public record HostView(
        String name,
        boolean configured,
        @Nullable String ssh,
        List<String> labels,
        HostEgress egress,
        HostState state,
        @Nullable Integer percent,
        @Nullable String reason,
        @Nullable String mend,
        @Nullable Integer retryS,
        int workers,
        @OmitEmpty int workersMax,
        @Nullable String version,
        @OmitEmpty boolean tunnelOnly,
        long sinceMs) {
    /** What a captain needs to choose a host: without the way to it, and what is wrong there. */
    public HostView forCaptain() {
        return new HostView(
                name,
                configured,
                null,
                labels,
                egress,
                state,
                percent,
                null,
                null,
                retryS,
                workers,
                workersMax,
                version,
                tunnelOnly,
                sinceMs);
    }

    /** All hosts by name, without the gateway's own. */
    @Extensible
    public record HostList(List<HostView> hosts) {}
}
