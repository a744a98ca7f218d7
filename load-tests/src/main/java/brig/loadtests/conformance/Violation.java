package brig.loadtests.conformance;

/** What the server did that a rule does not allow; the message says it for people. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what, null, false, false);
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new Violation(otherwise);
        }
    }

    static void requireEqual(Object expected, Object actual, String what) {
        require(expected.equals(actual), what + " is " + actual + ", not " + expected);
    }
}
