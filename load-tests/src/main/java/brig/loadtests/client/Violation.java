package brig.loadtests.client;

/** A server's violation of a rule, described for people. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Violation(String what) {
        super(what, null, false, false);
    }

    public static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new Violation(otherwise);
        }
    }

    public static void requireEqual(Object expected, Object actual, String what) {
        require(expected.equals(actual), what + " is " + actual + ", not " + expected);
    }
}
