package brig.egress.request;

import brig.egress.policy.HostPort;
import brig.egress.secret.Secrets;
import brig.protocol.egress.AuditEvent;
import java.util.List;
import java.util.Set;

/** The audit data of one request or one tunnel. It never has the query, which may hold secrets. */
public final class RequestRecord {
    private static final int TEXT_MAX = 1024;

    /** The kind of request. */
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
    private long startNanos;
    private long requestBytes;
    private long responseBytes;
    private int status;
    private AuditEvent.Decision decision = AuditEvent.Decision.FAILED;
    private String rule = "";
    private Set<String> secrets = Set.of();
    private boolean overBudget;

    /** @param startNanos its start, by {@link System#nanoTime} */
    public RequestRecord(Kind kind, String method, String scheme, HostPort at, String path, long startNanos) {
        this.kind = kind;
        this.method = method;
        this.scheme = scheme;
        this.at = at;
        this.path = path;
        this.startNanos = startNanos;
    }

    /** The target; its host is empty until it is known. */
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

    /** Counts its time from that moment of {@link System#nanoTime}: what it waited for its turn is no time of the server. */
    public void startAt(long nanos) {
        startNanos = nanos;
    }

    /** Notes that it was allowed; it may still fail later. */
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
        overBudget = refusal.document() != null;
    }

    /** Whether a budget refused it, of which people are told otherwise. */
    boolean isOverBudget() {
        return overBudget;
    }

    /** A description for people. */
    public String describe() {
        return method + " " + (scheme.isEmpty() ? "" : scheme + "://") + at + path;
    }

    /** The audit entry. */
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

    /** Text that an agent chose, without control characters and secrets, shortened. */
    private static String text(String chosen, Secrets known) {
        String scrubbed = known.scrub(chosen);
        String bounded = scrubbed.length() <= TEXT_MAX ? scrubbed : scrubbed.substring(0, TEXT_MAX) + "…";
        return bounded.replaceAll("[\\p{Cntrl}\\p{Cf}\\x{2028}\\x{2029}]", "?");
    }
}
