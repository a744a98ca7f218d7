package brig.protocol.egress;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * One line of the audit. Lines of older versions can be read too.
 *
 * @param ts in milliseconds since 1970
 * @param spawnId the spawn concerned; null in a line that reports losses
 * @param agent the agent profile
 * @param event null in a line that reports losses
 * @param lost how many lines could not be written in time
 */
@Extensible
public record AuditLine(
        long ts,

        @Name(value = "spawn_id", old = "spawn") @Nullable String spawnId,

        @Nullable String agent,
        @Flat @Nullable AuditEvent event,
        @OmitEmpty long lost) {
    /** A line about one worker. */
    public static AuditLine of(long ts, String spawnId, String agent, AuditEvent event) {
        return new AuditLine(ts, spawnId, agent, event, 0);
    }

    /** A line that reports how many lines before it were lost. */
    public static AuditLine lost(long ts, long count) {
        return new AuditLine(ts, null, null, null, count);
    }

    /** The host concerned; empty if there is none. */
    public String host() {
        return switch (event) {
            case AuditEvent.Decided decided -> decided.result().host();
            case EgressEvent.TlsFailed failed -> failed.host();
            case EgressEvent.Subagent unused -> "";
            case EgressEvent.Usage unused -> "";
            case null -> "";
        };
    }

    /** The decision; null if there was none. */
    public AuditEvent.@Nullable Decision decision() {
        return event instanceof AuditEvent.Decided decided ? decided.result().decision() : null;
    }
}
