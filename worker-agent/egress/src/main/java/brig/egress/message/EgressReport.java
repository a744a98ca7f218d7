package brig.egress.message;

import brig.egress.confinement.SelfMeasurement;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.record.Flat;
import brig.protocol.record.Tagged;

/** A line of brig-egress. The first is {@code Ready}. */
@Tagged("type")
public sealed interface EgressReport {
    /** brig-egress is ready. */
    record Ready(SelfMeasurement measured) implements EgressReport {}

    /** An entry for the audit. */
    record Audit(AuditLine entry) implements EgressReport {}

    /** An event of a worker, for people. */
    record Event(String worker, @Flat EgressEvent event) implements EgressReport {}

    /**
     * A request waits for a login, which has no token, or whose token the vendor refused; answered by {@link
     * EgressCommand.Secrets}.
     *
     * @param byVendor whether the vendor refused its token
     * @param change how many {@link EgressCommand.Secrets} it had got for the worker when the request was made
     */
    record LoginRefused(String worker, String secret, boolean byVendor, int change) implements EgressReport {}

    /** The ledger of that number has all that counts: earlier ones are no longer needed. */
    record LedgerBegun(long number) implements EgressReport {}

    /** The ledger is long: a new one should begin. */
    record LedgerFull() implements EgressReport {}

    /** The worker is unregistered; all its events precede this line. */
    record Unregistered(String worker) implements EgressReport {}

    /** Reports of that kind that were lost because the reader was too slow. */
    record Lost(Kind kind, long count) implements EgressReport {}

    /** Kinds of reports with a queue of their own. */
    enum Kind {
        EVENTS,
        AUDIT
    }
}
