package brig.protocol.egress;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

    /**
     * A budget is used up in part, or a request was refused because of it.
     *
     * @param percent how much of it is used up: at least 50, 80 or 100; 100 after a refusal
     * @param scope whose it is
     * @param of the spawn id of the session above, or the captain; null otherwise
     * @param used what requests came to
     * @param reserved what those under way may come to
     * @param refused the sentence that the agent was told; null if nothing was refused
     */
    record Budget(
            int percent,
            Scope scope,
            @Nullable String of,
            BudgetAmount used,
            BudgetAmount reserved,
            BudgetAmount limit,
            @Nullable String refused)
            implements EgressEvent {
        /** For people, without the sentence of a refusal. */
        public String words() {
            String whose = switch (scope) {
                case SESSION -> "the budget";
                case ABOVE -> "the budget of " + of;
                case CAPTAIN -> "today's budget of " + of;
                case DAY -> "today's budget of the gateway";
            };
            return percent + " % of " + whose + " is used up: " + words(used, limit);
        }

        /** {@code $4.02 of $5.00}, for each that is limited. */
        public static String words(BudgetAmount used, BudgetAmount limit) {
            return Stream.of(
                            part(used.usd(), limit.usd(), "$%.2f of $%.2f"),
                            part(used.tokens(), limit.tokens(), "%d of %d tokens"),
                            part(used.egressBytes(), limit.egressBytes(), "%d of %d bytes"),
                            part(used.wallMs(), limit.wallMs(), "%d of %d ms"))
                    .filter(text -> !text.isEmpty())
                    .collect(Collectors.joining(", "));
        }

        private static String part(@Nullable Number used, @Nullable Number limit, String format) {
            return used == null || limit == null ? "" : String.format(Locale.ROOT, format, used, limit);
        }

        /** Whose budget it is. */
        public enum Scope {
            SESSION,
            /** Of a session that this one works for. */
            ABOVE,
            /** Of a captain, for a day in UTC. */
            CAPTAIN,
            /** Of the gateway, for a day in UTC. */
            DAY
        }
    }

    /** Requests to a provider of models wait for their turn, as it asked to send less. */
    record ThrottledByProvider(String host, int port, String rule) implements Shown {}

    /**
     * No request waits for that provider any longer.
     *
     * @param waitedMs how long at least one did
     */
    record ProviderResumed(
            String host,
            int port,
            @Name(value = "waited_ms") long waitedMs) implements Shown {}

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
     * @param cost in US dollars; null if the model has no price
     */
    record Usage(
            @Nullable String agentId,
            String route,
            String model,
            @Nullable Long inputTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedInputTokens,
            @Nullable Long cacheWriteInputTokens,
            int status,
            @Nullable Double cost)
            implements Noted {
        /** The same of a model by another name. */
        public Usage of(String other) {
            return new Usage(
                    agentId,
                    route,
                    other,
                    inputTokens,
                    outputTokens,
                    cachedInputTokens,
                    cacheWriteInputTokens,
                    status,
                    cost);
        }
    }
}
