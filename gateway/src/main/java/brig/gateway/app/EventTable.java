package brig.gateway.app;

import brig.gateway.events.HookEvents;
import brig.gateway.store.EventRecord;
import brig.gateway.store.SqliteEventStore;
import brig.gateway.time.Clock;
import brig.protocol.Ids;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The hook events of this gateway, including those of earlier processes, and their table. */
record EventTable(SqliteEventStore table) implements HookEvents.Store {
    /** Loads the stored events. */
    CompletionStage<HookEvents> open(Clock clock) {
        return table.load().thenApply(records -> {
            String epoch =
                    records.isEmpty() ? Ids.newEpoch() : records.getLast().epoch();
            List<HookEvents.Kept> kept = records.stream()
                    .filter(record -> record.epoch().equals(epoch))
                    .map(record ->
                            new HookEvents.Kept(record.seq(), record.spawnId(), record.sessionId(), record.json()))
                    .toList();
            return new HookEvents(clock, this, epoch, kept);
        });
    }

    @Override
    public CompletionStage<Void> add(String epoch, HookEvents.Kept event, long firstKept) {
        return table.add(
                new EventRecord(epoch, event.seq(), event.spawnId(), event.sessionId(), event.json()), firstKept);
    }
}
