package brig.gateway.spawn;

import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The provider's side of a spawn: the host of its worker, the worker's name there, which is the spawn_id of the first
 * spawn bound to it, and the provider's last report on whether it is alive. Owned by the event loop.
 */
final class ProviderBinding {
    /** The stored form. */
    @Extensible
    private record Kept(
            @Nullable String workerId,
            @Nullable String host,
            @OmitEmpty long lastSeq,
            @Nullable Boolean alive) {}

    private final String workerId;
    private final @Nullable String host;
    private @Nullable Boolean alive;
    /** The newest known frame of its worker when it was given up. */
    private long lastSeq;

    /** @param host null for the gateway's own */
    ProviderBinding(String workerId, @Nullable String host) {
        this.workerId = workerId;
        this.host = host;
    }

    static ProviderBinding read(String spawnId, String json) {
        Kept kept = Json.read(json.getBytes(StandardCharsets.UTF_8), Kept.class);
        ProviderBinding binding = new ProviderBinding(kept.workerId() == null ? spawnId : kept.workerId(), kept.host());
        binding.lastSeq = kept.lastSeq();
        binding.alive = kept.alive();
        return binding;
    }

    String toJson() {
        return new String(Json.write(new Kept(workerId, host, lastSeq, alive)), StandardCharsets.UTF_8);
    }

    String workerId() {
        return workerId;
    }

    /** The name of the host; null for the gateway's own. */
    @Nullable
    String host() {
        return host;
    }

    /** Whether the provider has the worker; null if it did not say. */
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
