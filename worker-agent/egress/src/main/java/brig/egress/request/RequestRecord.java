package brig.egress.request;

import brig.egress.policy.HostPort;
import brig.egress.secret.Secrets;
import brig.protocol.egress.AuditEvent;
import java.util.List;
import java.util.Set;

/**
 * What the audit says of one request, or of one connection that was passed through. Never with a query: it
 * may hold what is secret to others.
 */
public final class RequestRecord {
    private static final int TEXT_MAX = 1024;

    /** What was asked for. */
    public enum Kind {
        REQUEST,
        CONNECT,
        TUNNEL
    }

    private final Kind kind;
    private final String method;
    private final String scheme;
    private final HostPort at;
    private final String path;
    private final long startNanos;
    private long requestBytes;
    private long responseBytes;
    private int status;
    private AuditEvent.Decision decision = AuditEvent.Decision.FAILED;
    private String rule = "";
    private Set<String> secrets = Set.of();

    /** @param startNanos when it began, by {@link System#nanoTime} */
    public RequestRecord(Kind kind, String method, String scheme, HostPort at, String path, long startNanos) {
        this.kind = kind;
        this.method = method;
        this.scheme = scheme;
        this.at = at;
        this.path = path;
        this.startNanos = startNanos;
    }

    /** Where it goes; its host is empty until that is known. */
    public HostPort at() {
        return at;
    }

    public boolean isBlocked() {
        return decision == AuditEvent.Decision.BLOCKED;
    }

    public int status() {
        return status;
    }

    public void addRequestBytes(long bytes) {
        requestBytes += bytes;
    }

    public void addResponseBytes(long bytes) {
        responseBytes += bytes;
    }

    /** The policy lets it pass; what follows may still fail. */
    public void allow(String byRule) {
        decision = AuditEvent.Decision.ALLOWED;
        rule = byRule;
    }

    public void use(Set<String> names) {
        secrets = names;
    }

    public void answer(int code) {
        status = code;
    }

    public void refuse(Refusal refusal) {
        decision = refusal.isBlock() ? AuditEvent.Decision.BLOCKED : AuditEvent.Decision.FAILED;
        rule = refusal.rule();
        status = refusal.status();
    }

    /** As a person would say it. */
    public String describe() {
        return method + " " + (scheme.isEmpty() ? "" : scheme + "://") + at + path;
    }

    /** As it stands in the audit. */
    AuditEvent.Decided result(Secrets known) {
        AuditEvent.Result result = new AuditEvent.Result(
                decision,
                text(method, known),
                scheme,
                text(at.host(), known),
                at.port(),
                text(path, known),
                text(rule, known),
                status,
                requestBytes,
                responseBytes,
                List.copyOf(secrets),
                (System.nanoTime() - startNanos) / 1_000_000);
        return switch (kind) {
            case REQUEST -> new AuditEvent.Request(result);
            case CONNECT -> new AuditEvent.Connect(result);
            case TUNNEL -> new AuditEvent.Tunnel(result);
        };
    }

    /** What an agent chose is shown without control characters, bounded, and without values of secrets. */
    private static String text(String chosen, Secrets known) {
        String scrubbed = known.scrub(chosen);
        String bounded = scrubbed.length() <= TEXT_MAX ? scrubbed : scrubbed.substring(0, TEXT_MAX) + "…";
        return bounded.replaceAll("[\\p{Cntrl}\\p{Cf}\\x{2028}\\x{2029}]", "?");
    }
}
