package brig.protocol.egress;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What people should know at once about the network requests of a worker. Most events become frames of its stream. */
@Tagged("kind")
public sealed interface EgressEvent {
    /**
     * A request that was decided.
     *
     * @param scheme empty for a connection whose protocol is unknown
     * @param path without the query
     * @param rule what decided
     * @param secrets names of the secrets that were put in
     * @param status what the agent was answered; 0 for nothing
     */
    record Request(
            String method,
            String scheme,
            String host,
            int port,
            String path,
            String rule,
            List<String> secrets,
            int status) {}

    /** An event that becomes a frame {@code egress}; the others become frames of adapters. */
    @Tagged("kind")
    sealed interface Shown extends EgressEvent {}

    /** An event about one request. */
    sealed interface Decided extends Shown {
        Request request();
    }

    /** The first request to a host that was allowed. */
    record Allowed(@Flat Request request) implements Decided {}

    /** A request that was refused. */
    record Blocked(@Flat Request request) implements Decided {}

    /** The first request to a host that was refused as the policy's {@code quietHosts} expect. */
    record Quiet(@Flat Request request) implements Decided {}

    /**
     * A request waits for a person.
     *
     * @param rule why it is not allowed by itself
     * @param deadlineMs how long it waits
     */
    record Ask(
            String host,
            int port,
            String method,
            String rule,
            @Name(value = "deadline_ms", old = "deadlineMs") long deadlineMs)
            implements Shown {}

    /** No request to that host waits any more. */
    record Answered(String host, int port, boolean allowed, String rule) implements Shown {}

    /** Something in the project's own file has no effect; {@code rule} says what. */
    record ProjectFile(String rule) implements Shown {}

    /** An event that is a line of the audit too. */
    sealed interface Noted extends EgressEvent, AuditEvent {}

    /** The agent's program did not accept Brig's certificate. */
    record TlsFailed(String host, int port, String rule) implements Noted, Shown {}

    /** A sub-agent was met for the first time. */
    record Subagent(
            String agentId,
            @Nullable String parentId,
            @Nullable String sessionId) implements Noted {}

    /**
     * What one request to a model took, in tokens as the provider counts them; null where the answer did not say.
     *
     * @param agentId the sub-agent that asked; null for the agent itself
     * @param route the model route
     */
    record Usage(
            @Nullable String agentId,
            String route,
            String model,
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedInputTokens,
            @Nullable Long cacheWriteInputTokens,
            int status)
            implements Noted {}
}
