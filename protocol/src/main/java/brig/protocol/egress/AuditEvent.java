package brig.protocol.egress;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;

/** The event of an audit line. */
@Tagged("kind")
public sealed interface AuditEvent permits AuditEvent.Decided, EgressEvent.Noted {
    /** The outcome of a request. {@code FAILED}: the policy allowed it, but the network failed. */
    enum Decision {
        ALLOWED,
        BLOCKED,
        FAILED
    }

    /**
     * The outcome of one request or one tunnelled connection.
     *
     * @param path without the query
     * @param status the HTTP status that the agent received; 0 for none
     * @param secrets names of the secrets that were inserted
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

    /** An event that a policy decided. */
    sealed interface Decided extends AuditEvent {
        Result result();
    }

    /** A request. */
    record Request(@Flat Result result) implements Decided {}

    /** A CONNECT, or a connection that did not begin with an allowed protocol. */
    record Connect(@Flat Result result) implements Decided {}

    /** A tunnelled connection. */
    record Tunnel(@Flat Result result) implements Decided {}
}
