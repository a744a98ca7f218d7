package brig.gateway.cluster;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Small values by key that all gateways see. Calls return at once; results and changes come on the event loop. */
public interface SharedTable {
    /**
     * A value.
     *
     * @param value empty if it was removed
     * @param revision grows with each write of any key
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared
    record Entry(String key, byte[] value, long revision) {
        public boolean isRemoved() {
            return value.length == 0;
        }
    }

    /** Empty if it was never there, or is no longer. */
    CompletionStage<Optional<Entry>> read(String key);

    /**
     * Writes a value, or removes it if it is empty.
     *
     * @param expected the revision of what it replaces, 0 for nothing
     * @return its revision, when it is durable; fails with {@link StaleException} if there is something else
     */
    CompletionStage<Long> write(String key, byte[] value, long expected);

    /** Tells of all that is there, then of each change. */
    void watch(Consumer<Entry> watcher);

    /** Completes when the watcher was told of all that was written before the call. */
    CompletionStage<Void> settled();
}
