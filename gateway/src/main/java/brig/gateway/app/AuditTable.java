package brig.gateway.app;

import brig.gateway.audit.AuditTrail;
import brig.gateway.store.SqliteAuditIndex;
import brig.protocol.control.AuditAnswer;
import java.util.concurrent.CompletionStage;

/** The audit index, in SQLite. */
record AuditTable(SqliteAuditIndex table) implements AuditTrail.Index {
    @Override
    public CompletionStage<String> position() {
        return table.position();
    }

    @Override
    public CompletionStage<Void> add(AuditAnswer part) {
        return table.add(part.lines(), part.next(), part.oldestMs());
    }

    @Override
    public CompletionStage<AuditTrail.Page> find(AuditTrail.Query query) {
        return table.find(
                        query.workers(),
                        query.host(),
                        query.decision(),
                        query.sinceMs(),
                        query.untilMs(),
                        query.before(),
                        query.after(),
                        query.limit())
                .thenApply(found -> new AuditTrail.Page(found.entries(), found.lastSeq()));
    }
}
