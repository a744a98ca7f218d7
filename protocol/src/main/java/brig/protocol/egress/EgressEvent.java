package brig.protocol.egress;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An immediate report about a worker's network requests. Most events become frames of its stream. */
@Tagged("kind")
public sealed interface EgressEvent {
    /**
     * A request and its decision.
     *
     * @param scheme empty if the protocol of the connection is unknown
     * @param path without the query
     * @param rule the rule that decided
     * @param secrets names of the secrets that were inserted
     * @param status the HTTP status that the agent received; 0 for none
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

    /** An event that becomes an {@code egress} frame; the others become frames of adapters. */
    @Tagged("kind")
    sealed interface Shown extends EgressEvent {}

    /** An event about one request. */
    sealed interface Decided extends Shown {
        Request request();
    }

    /** The first allowed request to a host. */
    record Allowed(@Flat Request request) implements Decided {}

    /** A refused request. */
    record Blocked(@Flat Request request) implements Decided {}

    /** The first request to a host that was refused and is listed in the policy's {@code quietHosts}. */
    record Quiet(@Flat Request request) implements Decided {}

    /**
     * A request that waits for a person.
     *
     * @param rule why it is not allowed automatically
     * @param deadlineMs when it stops waiting
     */
    record Ask(
            String host,
            int port,
            String method,
            String rule,
            @Name(value = "deadline_ms", old = "deadlineMs") long deadlineMs)
            implements Shown {}

    /** No request to that host waits any longer. */
    record Answered(String host, int port, boolean allowed, String rule) implements Shown {}

    /** A setting in the project's own file has no effect; {@code rule} says which. */
    record ProjectFile(String rule) implements Shown {}

    /** An event that is also an audit line. */
    sealed interface Noted extends EgressEvent, AuditEvent {}

    /** The agent's program did not accept Brig's certificate. */
    record TlsFailed(String host, int port, String rule) implements Noted, Shown {}

    /** A sub-agent was seen for the first time. */
    record Subagent(
            String agentId,
            @Nullable String parentId,
            @Nullable String sessionId) implements Noted {}

    /**
     * The tokens of one model request, as the provider counts them; null if the answer did not say.
     *
     * @param agentId the requesting sub-agent; null for the agent itself
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
