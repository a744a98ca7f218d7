package brig.egress.message;

import brig.egress.confinement.SelfMeasurement;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;

/** A line of brig-egress. The first is {@code Ready}. */
@Tagged("type")
public sealed interface EgressReport {
    /** It can be used. */
    record Ready(SelfMeasurement measured) implements EgressReport {}

    /** A line for the audit. */
    record Audit(AuditLine entry) implements EgressReport {}

    /** Something about a worker that people should know. */
    record Event(String worker, @Flat EgressEvent event) implements EgressReport {}

    /** The worker is gone, and every event of it stands before this line. */
    record Unregistered(String worker) implements EgressReport {}

    /** Reports of that kind that nobody read in time. */
    record Lost(Kind kind, long count) implements EgressReport {}

    /** What has a queue of its own. */
    enum Kind {
        EVENTS,
        AUDIT
    }
}
