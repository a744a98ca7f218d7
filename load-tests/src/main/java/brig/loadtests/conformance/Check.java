package brig.loadtests.conformance;

import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import java.io.IOException;
import java.util.Set;

/**
 * One thing that a server must do.
 *
 * <p>Decision 0028.
 *
 * @param name what mutants and people call it
 * @param clause the section of PROTOCOL.md
 * @param rule its words
 * @param says what is checked, for people
 * @param needs what the server must be for it
 */
public record Check(
        String name, String clause, String rule, String says, Set<StreamTransport> ways, Needs needs, Body body) {
    /** What it takes. */
    enum Needs {
        /** Any server. */
        NOTHING,
        /** Any server, and many seconds; it runs beside the others. */
        TIME,
        /** A server that the kit started, whose limits it knows. */
        OWN_SERVER
    }

    /** Does it over one way in. @throws Violation where the rule is broken */
    interface Body {
        void run(Target target, StreamTransport way) throws IOException, InterruptedException;
    }

    Check needing(Needs what) {
        return new Check(name, clause, rule, says, ways, what, body);
    }
}
