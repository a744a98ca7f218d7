package brig.protocol.api;

import brig.protocol.egress.AuditEntry;
import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the audit.
 *
 * @param lastSeq the newest number in the index, whatever the filter
 * @param complete whether everything written so far was searched
 * @param next the {@code cursor} of the next page, or its {@code after} if the request used that; null on the last page
 */
@Extensible
public record AuditPage(
        List<AuditEntry> entries,
        long lastSeq,
        boolean complete,
        @Nullable Long next) {}
