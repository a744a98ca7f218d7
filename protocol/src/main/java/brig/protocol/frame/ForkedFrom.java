package brig.protocol.frame;

import brig.protocol.Limits;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;

/**
 * Where a fork begins.
 *
 * @param spawnId the session that it was forked from
 * @param seq the number of the checkpoint there
 */
@Extensible
public record ForkedFrom(
        @NotEmpty String spawnId,
        @Range(max = Limits.SEQ_MAX) long seq) {}
