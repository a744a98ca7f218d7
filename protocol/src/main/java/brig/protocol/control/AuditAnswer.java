package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * A part of the audit lines that brig-egress wrote.
 *
 * @param lines whole lines of JSON; empty at the end
 * @param next the position after them
 * @param oldestMs older lines were deleted; milliseconds since 1970
 */
@Extensible
public record AuditAnswer(List<String> lines, String next, long oldestMs) {}
