package brig.gateway.spawn;

import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a provider has for a spawn: the name of its worker there, which is the spawn_id of the first spawn that it was
 * bound to, and what the provider said last of whether it lives. Owned by the event loop.
 */
final class ProviderBinding {
    private final String workerId;
    private @Nullable Boolean alive;
    /** The newest frame of its worker that is known when it is given up. */
    private long lastSeq;

    ProviderBinding(String workerId) {
        this.workerId = workerId;
    }

    static ProviderBinding read(String spawnId, Map<String, @Nullable Object> ids) {
        Fields fields = new Fields(ids);
        ProviderBinding binding = new ProviderBinding(fields.text("worker_id", spawnId));
        binding.lastSeq = fields.number("last_seq", 0, Limits.SEQ_MAX, 0);
        binding.alive = fields.has("alive") ? fields.flag("alive") : null;
        return binding;
    }

    private Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> ids = new LinkedHashMap<>();
        ids.put("worker_id", workerId);
        if (lastSeq > 0) {
            ids.put("last_seq", lastSeq);
        }
        if (alive != null) {
            ids.put("alive", alive);
        }
        return ids;
    }

    String toJson() {
        return new String(Json.write(toMap()), StandardCharsets.UTF_8);
    }

    String workerId() {
        return workerId;
    }

    /** Whether the provider has the worker; null where it did not say. */
    @Nullable
    Boolean alive() {
        return alive;
    }

    void setAlive(@Nullable Boolean isAlive) {
        alive = isAlive;
    }

    long lastSeq() {
        return lastSeq;
    }

    void setLastSeq(long seq) {
        lastSeq = seq;
    }
}
