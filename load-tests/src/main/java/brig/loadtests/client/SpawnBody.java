package brig.loadtests.client;

import brig.protocol.json.Json;
import brig.protocol.record.OmitEmpty;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a spawn request that tests use (section 4.1); other servers need not support more.
 *
 * @param requestId makes the request idempotent
 * @param host the host for the worker; null for the server's own
 */
public record SpawnBody(
        AgentConfig agentConfig,
        @Nullable String prompt,
        @OmitEmpty boolean once,
        @Nullable String requestId,
        @Nullable String host) {
    /** @param name of an agent profile */
    public record AgentConfig(String name) {}

    /** A spawn that waits for messages. */
    public static SpawnBody of(String agent) {
        return new SpawnBody(new AgentConfig(agent), null, false, null, null);
    }

    public SpawnBody with(@Nullable Workload work, boolean endsAfterIt) {
        return new SpawnBody(agentConfig, work == null ? null : work.message(), endsAfterIt, requestId, host);
    }

    /** With a prompt. */
    public SpawnBody saying(String message) {
        return new SpawnBody(agentConfig, message, once, requestId, host);
    }

    /** With an end after its first {@code done}. */
    public SpawnBody endingAfterOne() {
        return new SpawnBody(agentConfig, prompt, true, requestId, host);
    }

    public SpawnBody claimedAs(String id) {
        return new SpawnBody(agentConfig, prompt, once, id, host);
    }

    public SpawnBody on(@Nullable String name) {
        return new SpawnBody(agentConfig, prompt, once, requestId, name);
    }

    public String text() {
        return new String(Json.write(this), StandardCharsets.UTF_8);
    }
}
