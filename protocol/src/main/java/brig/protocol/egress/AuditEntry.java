package brig.protocol.egress;

import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;

/**
 * An audit line with its number, as clients see it.
 *
 * @param seq the number in the gateway's index, from 1 upwards
 */
@Extensible
public record AuditEntry(long seq, @Flat AuditLine line) {}
