package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/**
 * Some of what brig-egress wrote.
 *
 * @param lines whole lines of JSON; none where there is no more
 * @param next the position behind them
 * @param oldestMs older lines were deleted; milliseconds since 1970
 */
@Extensible
public record AuditAnswer(List<String> lines, String next, long oldestMs) {}
