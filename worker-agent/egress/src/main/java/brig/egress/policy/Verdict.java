package brig.egress.policy;

/**
 * The verdict of a policy on a request.
 *
 * @param rule the deciding entry, for people
 * @param askable whether a person may allow it: no entry forbids it, but none allows it
 */
public record Verdict(boolean allowed, String rule, boolean askable) {
    static Verdict allowed(String rule) {
        return new Verdict(true, rule, false);
    }

    static Verdict forbidden(String rule) {
        return new Verdict(false, rule, false);
    }

    static Verdict unknown(String rule) {
        return new Verdict(false, rule, true);
    }
}
