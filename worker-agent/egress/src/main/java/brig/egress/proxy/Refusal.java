package brig.egress.proxy;

/**
 * Why a request is not passed on.
 *
 * @param status what the client is answered
 * @param rule in a few words, for the audit
 * @param advice what can be done about it; empty where nothing can
 */
record Refusal(int status, String rule, String advice) {
    private static final int FORBIDDEN = 403;
    private static final int BAD_REQUEST = 400;
    private static final int BAD_GATEWAY = 502;

    static Refusal blocked(String rule) {
        return new Refusal(FORBIDDEN, rule, "");
    }

    static Refusal askable(String rule, String host, int port, String spawn) {
        String what = port == 443 || port == 80 ? host : host + ":" + port;
        return new Refusal(FORBIDDEN, rule, "A person can allow it: brig egress allow " + spawn + " " + what);
    }

    static Refusal malformed(String rule) {
        return new Refusal(BAD_REQUEST, rule, "");
    }

    static Refusal unreachable(String rule) {
        return new Refusal(BAD_GATEWAY, rule, "");
    }

    /** Whether it was the policy that refused, not the network. */
    boolean isBlock() {
        return status == FORBIDDEN || status == BAD_REQUEST;
    }

    RefusedException asException() {
        return new RefusedException(this);
    }

    /** Carries a refusal through a future. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Refusal refusal;

        RefusedException(Refusal refusal) {
            super(refusal.rule(), null, false, false);
            this.refusal = refusal;
        }

        Refusal refusal() {
            return refusal;
        }
    }
}
