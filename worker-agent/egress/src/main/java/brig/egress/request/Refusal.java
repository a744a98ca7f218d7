package brig.egress.request;

import brig.egress.policy.HostPort;
import brig.protocol.address.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was not forwarded.
 *
 * @param status the HTTP status for the client
 * @param rule the reason in a few words, for the audit
 * @param advice the remedy; empty if there is none
 * @param document the answer in the form of a model's provider, JSON; null for a text
 * @param retryAfterMs when the client may come again; 0 if it is not told
 */
public record Refusal(
        int status, String rule, String advice, @Nullable String document, long retryAfterMs) {
    private static final int FORBIDDEN = 403;
    private static final int BAD_REQUEST = 400;
    private static final int BAD_GATEWAY = 502;

    public Refusal(int status, String rule, String advice) {
        this(status, rule, advice, null, 0);
    }

    public static Refusal blocked(String rule) {
        return new Refusal(FORBIDDEN, rule, "");
    }

    public static Refusal askable(String rule, HostPort at, String spawn) {
        String what = at.port() == 443 || at.port() == 80 ? HostNames.bracketed(at.host()) : at.toString();
        return new Refusal(FORBIDDEN, rule, "A person can allow it: brig egress allow " + spawn + " " + what);
    }

    public static Refusal malformed(String rule) {
        return new Refusal(BAD_REQUEST, rule, "");
    }

    public static Refusal unreachable(String rule) {
        return new Refusal(BAD_GATEWAY, rule, "");
    }

    /** Whether the policy refused it, not the network. */
    public boolean isBlock() {
        return status == FORBIDDEN || status == BAD_REQUEST;
    }

    public RefusedException asException() {
        return new RefusedException(this);
    }

    /** Carries a refusal through a future. */
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Refusal refusal;

        RefusedException(Refusal refusal) {
            super(refusal.rule(), null, false, false);
            this.refusal = refusal;
        }

        public Refusal refusal() {
            return refusal;
        }
    }
}
