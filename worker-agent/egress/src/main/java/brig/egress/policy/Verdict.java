package brig.egress.policy;

/**
 * What a policy says.
 *
 * @param rule which of its entries said so, for people
 * @param askable whether a person may allow it: nothing forbids it, only nothing allows it
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
