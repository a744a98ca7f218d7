package brig.gateway.app;

import brig.gateway.audit.AuditTrail;
import brig.gateway.store.SqliteAuditIndex;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The index of the audit, its lines shown in the words of the interface. */
record AuditTable(SqliteAuditIndex table) implements AuditTrail.Index {
    @Override
    public CompletionStage<String> position() {
        return table.position();
    }

    @Override
    public CompletionStage<Void> add(AuditTrail.Part part) {
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
                .thenApply(found -> new AuditTrail.Page(
                        found.entries().stream().map(AuditTable::shown).toList(), found.lastSeq()));
    }

    private static Map<String, @Nullable Object> shown(SqliteAuditIndex.Entry entry) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("seq", entry.seq());
        Json.parseObject(entry.json().getBytes(StandardCharsets.UTF_8))
                .forEach((key, value) -> shown.put(
                        key.equals("spawn")
                                ? "spawn_id"
                                : key.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT),
                        value));
        return shown;
    }
}
