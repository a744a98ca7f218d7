package brig.protocol.egress;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;

/**
 * One entry of the audit as clients get it.
 *
 * @param seq counts up within the gateway's index, from 1
 */
@Extensible
public record AuditEntry(long seq, @Flat AuditLine line) {}
