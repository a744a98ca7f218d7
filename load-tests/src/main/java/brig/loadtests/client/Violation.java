package brig.loadtests.client;

/** What the server did that a rule does not allow; the message says it for people. */
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
