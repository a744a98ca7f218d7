package brig.loadtests.conformance;

import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import java.io.IOException;
import java.util.Set;

/**
 * One requirement for a server.
 *
 * <p>Decision 0028.
 *
 * @param name identifies it, also for mutants
 * @param clause the section of PROTOCOL.md
 * @param rule the wording of the rule
 * @param says what is checked, for people
 * @param needs its requirements on the server
 */
public record Check(
        String name, String clause, String rule, String says, Set<StreamTransport> ways, Needs needs, Body body) {
    /** Requirements of a check. */
    enum Needs {
        /** Any server. */
        NOTHING,
        /** Any server, and many seconds; it runs in parallel with others. */
        TIME,
        /** A server started by the kit, whose limits are known. */
        OWN_SERVER
    }

    /** Runs the check over one transport. @throws Violation if the rule is broken */
    interface Body {
        void run(Target target, StreamTransport way) throws IOException, InterruptedException;
    }
}
