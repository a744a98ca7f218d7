package brig.loadtests.report;

import brig.loadtests.bench.Outcome;
import brig.loadtests.bench.Run;
import brig.loadtests.bench.Runner;
import brig.loadtests.engine.Engine.Progress;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Shows progress: a moving bar on a terminal, a line per run elsewhere.
 *
 * <p>Decision 0111.
 */
public final class ProgressDisplay implements Runner.Listener {
    private static final int BAR_CHARS = 30;

    private final PrintStream out;
    private final boolean terminal;
    private int number;
    private int total;
    private String label = "";
    private long expectedMs;
    private long startedNanos;

    /** @param terminal whether the bar can be redrawn */
    public ProgressDisplay(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Whether standard output is a terminal. */
    public static boolean isTerminal() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/1")).startsWith("/dev/pts");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void handleStart(int runNumber, int runTotal, String runLabel, long runExpectedMs) {
        number = runNumber;
        total = runTotal;
        label = runLabel;
        expectedMs = Math.max(1, runExpectedMs);
        startedNanos = System.nanoTime();
        draw("");
    }

    @Override
    public void handleProgress(Progress progress) {
        draw(Figure.FRAMES_PER_SECOND.format(progress.framesPerSecond()) + " frames/s");
    }

    @Override
    public void handleEnd(Run run, Scenario scenario) {
        String figures = run.figures().entrySet().stream()
                .filter(entry -> scenario.figures().contains(entry.getKey()))
                .map(entry -> entry.getKey().label() + " " + entry.getKey().format(entry.getValue()))
                .collect(Collectors.joining(", "));
        String trouble = run.outcome() == Outcome.OK ? "" : "  " + run.outcome() + " " + run.why();
        erase();
        out.printf("%3d/%d  %s: %s%s%n", number, total, label, figures, trouble);
    }

    private void draw(String rate) {
        if (!terminal) {
            return;
        }
        double ofRun = Math.min(1, (System.nanoTime() - startedNanos) / 1e6 / expectedMs);
        int done = (int) (BAR_CHARS * (number - 1 + ofRun) / total);
        erase();
        out.print("[" + "#".repeat(done) + "-".repeat(BAR_CHARS - done) + "] " + number + "/" + total + " " + label
                + " " + rate);
        out.flush();
    }

    private void erase() {
        if (terminal) {
            out.print("\r\033[K");
        }
    }
}
