package brig.gateway.joint;

import java.io.IOException;

/** The far end does what no far end does. */
final class BrokenRule extends IOException {
    private static final long serialVersionUID = 1;

    BrokenRule(String what) {
        super("the host sends " + what);
    }
}
