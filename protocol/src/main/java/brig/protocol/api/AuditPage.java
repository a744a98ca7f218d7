package brig.protocol.api;

import brig.protocol.egress.AuditEntry;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of requests that agents made.
 *
 * @param lastSeq the newest number that there is, whatever was asked for
 * @param complete whether all that was written so far could be looked at
 * @param next the {@code cursor} of the next page, or its {@code after} where that was asked with; null for the last one
 */
@Extensible
public record AuditPage(
        List<AuditEntry> entries,
        long lastSeq,
        boolean complete,
        @Nullable Long next) {}
