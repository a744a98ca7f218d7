package brig.protocol.egress;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;

/** What a line of the audit is about. */
@Tagged("kind")
public sealed interface AuditEvent permits AuditEvent.Decided, EgressEvent.Noted {
    /** What became of a request. {@code FAILED}: the policy let it pass, and the network did not. */
    enum Decision {
        ALLOWED,
        BLOCKED,
        FAILED
    }

    /**
     * One request, or one connection that was passed through.
     *
     * @param path without the query
     * @param status what the agent was answered; 0 for nothing
     * @param secrets names of the secrets that were put in
     */
    record Result(
            Decision decision,
            String method,
            String scheme,
            String host,
            int port,
            String path,
            String rule,
            int status,

            @Name(value = "request_bytes", old = "requestBytes")
            long requestBytes,

            @Name(value = "response_bytes", old = "responseBytes")
            long responseBytes,

            List<String> secrets,

            @Name(value = "duration_ms", old = "durationMs") long durationMs) {}

    /** Something that a policy decided. */
    sealed interface Decided extends AuditEvent {
        Result result();
    }

    /** A request. */
    record Request(@Flat Result result) implements Decided {}

    /** A CONNECT, or a connection that began as no protocol that is allowed. */
    record Connect(@Flat Result result) implements Decided {}

    /** A connection that was passed through unread. */
    record Tunnel(@Flat Result result) implements Decided {}
}
