package brig.egress.proxy;

import brig.egress.secret.Secrets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the audit says of one request, or of one connection that was passed through. Never with a query: it
 * may hold what is secret to others.
 */
final class RequestRecord {
    private static final int TEXT_MAX = 1024;

    private final String kind;
    private final String method;
    private final String scheme;
    private final String host;
    private final int port;
    private final String path;
    private final long startNanos;
    private long requestBytes;
    private long responseBytes;
    private int status;
    private String decision = "failed";
    private String rule = "";
    private Set<String> secrets = Set.of();

    RequestRecord(String kind, String method, String scheme, String host, int port, String path, long startNanos) {
        this.kind = kind;
        this.method = method;
        this.scheme = scheme;
        this.host = host;
        this.port = port;
        this.path = path;
        this.startNanos = startNanos;
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    boolean isBlocked() {
        return decision.equals("blocked");
    }

    boolean isAllowed() {
        return decision.equals("allowed");
    }

    int status() {
        return status;
    }

    void addRequestBytes(long bytes) {
        requestBytes += bytes;
    }

    void addResponseBytes(long bytes) {
        responseBytes += bytes;
    }

    /** The policy lets it pass; what follows may still fail. */
    void allow(String byRule) {
        decision = "allowed";
        rule = byRule;
    }

    void use(Set<String> names) {
        secrets = names;
    }

    void answer(int code) {
        status = code;
    }

    void refuse(Refusal refusal) {
        decision = refusal.isBlock() ? "blocked" : "failed";
        rule = refusal.rule();
        status = refusal.status();
    }

    /** As a person would say it. */
    String describe() {
        return method + " " + (scheme.isEmpty() ? "" : scheme + "://") + host + ":" + port + path;
    }

    Map<String, Object> toMap(long nowMs, String spawn, String agent, Secrets known) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("ts", nowMs);
        map.put("spawn", spawn);
        map.put("agent", agent);
        map.put("kind", kind);
        map.put("decision", decision);
        map.put("method", text(method, known));
        map.put("scheme", scheme);
        map.put("host", text(host, known));
        map.put("port", port);
        map.put("path", text(path, known));
        map.put("rule", text(rule, known));
        map.put("status", status);
        map.put("requestBytes", requestBytes);
        map.put("responseBytes", responseBytes);
        map.put("secrets", List.copyOf(secrets));
        map.put("durationMs", (System.nanoTime() - startNanos) / 1_000_000);
        return map;
    }

    /** What an agent chose is shown without control characters, bounded, and without values of secrets. */
    private static String text(String chosen, Secrets known) {
        String scrubbed = known.scrub(chosen);
        String bounded = scrubbed.length() <= TEXT_MAX ? scrubbed : scrubbed.substring(0, TEXT_MAX) + "…";
        return bounded.replaceAll("[\\p{Cntrl}\\p{Cf}\\x{2028}\\x{2029}]", "?");
    }
}
