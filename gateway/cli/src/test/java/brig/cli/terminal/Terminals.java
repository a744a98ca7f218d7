package brig.cli.terminal;

import java.io.OutputStream;

/** Terminals of tests. */
public final class Terminals {
    private Terminals() {}

    /** One whose two streams are files. */
    public static Terminal of(OutputStream out, OutputStream err) {
        return new Terminal(new Screen(out, false, false), new Screen(err, false, false));
    }
}
