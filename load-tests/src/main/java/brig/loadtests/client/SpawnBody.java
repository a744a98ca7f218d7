package brig.loadtests.client;

import brig.protocol.json.Json;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a spawn request that tests use (section 4.1); other servers need not support more.
 *
 * @param requestId makes the request idempotent
 * @param place where its worker is to run
 */
public record SpawnBody(
        AgentConfig agentConfig,
        @Nullable String prompt,
        @OmitEmpty boolean once,
        @Nullable String requestId,
        @Flat WorkerPlace place) {
    /** @param name of an agent profile */
    public record AgentConfig(String name) {}

    /** A spawn that waits for messages. */
    public static SpawnBody of(String agent) {
        return new SpawnBody(new AgentConfig(agent), null, false, null, WorkerPlace.HERE);
    }

    public SpawnBody with(@Nullable Workload work, boolean endsAfterIt) {
        return new SpawnBody(agentConfig, work == null ? null : work.message(), endsAfterIt, requestId, place);
    }

    /** With a prompt. */
    public SpawnBody saying(String message) {
        return new SpawnBody(agentConfig, message, once, requestId, place);
    }

    /** With an end after its first {@code done}. */
    public SpawnBody endingAfterOne() {
        return new SpawnBody(agentConfig, prompt, true, requestId, place);
    }

    public SpawnBody claimedAs(String id) {
        return new SpawnBody(agentConfig, prompt, once, id, place);
    }

    public SpawnBody on(WorkerPlace other) {
        return new SpawnBody(agentConfig, prompt, once, requestId, other);
    }

    public String text() {
        return new String(Json.write(this), StandardCharsets.UTF_8);
    }
}
