package brig.loadtests.conformance;

import brig.loadtests.client.StreamTransport;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** A line for each finished check and, on a terminal, the running one. */
public final class ProgressLines implements Kit.Listener {
    private final @Nullable PrintStream out;
    private final boolean terminal;
    private final int total;
    private int done;

    /** @param out null for no output */
    public ProgressLines(@Nullable PrintStream out, boolean terminal, int total) {
        this.out = out;
        this.terminal = terminal;
        this.total = total;
    }

    @Override
    public void handleStart(Check check, StreamTransport way) {
        if (out != null && terminal) {
            out.printf("[%d/%d] %s over %s …", done + 1, total, check.name(), way);
            out.flush();
        }
    }

    @Override
    public void handleResult(Kit.Result result) {
        done++;
        if (out == null) {
            return;
        }
        if (terminal) {
            out.print("\r\033[K");
        }
        String verdict = switch (result.verdict()) {
            case OK -> "ok";
            case FAIL -> "FAIL";
            case SKIP -> "skip";
        };
        Check check = result.check();
        out.printf("%-4s  %-4s %-10s%-15s %s%n", verdict, check.clause(), result.way(), check.name(), check.says());
        if (result.verdict() == Kit.Verdict.FAIL) {
            out.println("      rule:  " + check.rule());
            out.println("      found: " + result.fault());
        }
    }
}
