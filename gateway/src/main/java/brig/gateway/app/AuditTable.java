package brig.gateway.app;

import brig.gateway.audit.AuditTrail;
import brig.gateway.audit.Costs;
import brig.gateway.store.SqliteAuditIndex;
import brig.protocol.api.CostList;
import brig.protocol.control.AuditAnswer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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

    @Override
    public CompletionStage<List<Costs.Sum>> costs(@Nullable List<String> workers, long sinceMs, long untilMs) {
        return table.costs(workers, sinceMs, untilMs)
                .thenApply(found -> found.stream().map(AuditTable::sum).toList());
    }

    private static Costs.Sum sum(SqliteAuditIndex.Cost row) {
        return new Costs.Sum(
                row.worker(),
                row.agent(),
                row.model(),
                row.day(),
                new CostList.Row(
                        "",
                        row.requests(),
                        row.unpriced(),
                        row.input(),
                        row.cachedInput(),
                        row.cacheWriteInput(),
                        row.output(),
                        row.cost()));
    }
}
