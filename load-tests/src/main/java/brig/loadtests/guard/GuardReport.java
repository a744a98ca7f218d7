package brig.loadtests.guard;

import brig.loadtests.bench.Spread;
import brig.loadtests.guard.Comparison.Judgement;
import brig.loadtests.guard.Comparison.Pair;
import brig.loadtests.report.Heading;
import brig.loadtests.report.Table;
import brig.protocol.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The result, also as one JSON object.
 *
 * @param tolerance a share, 0.1 for 10 percent
 * @param voids runs that did not count
 * @param faults what was lost or did not work
 */
public record GuardReport(
        String machine,
        String date,
        String command,
        String baseline,
        double tolerance,
        int rounds,
        int voids,
        List<String> faults,
        List<Line> figures) {
    private static final int FAULT = 1;
    private static final int WORSE = 3;

    /**
     * A figure.
     *
     * @param rounds that count for both products
     * @param ratio of this product to the baseline within a round; null without rounds, like the others
     */
    public record Line(
            String scenario,
            String figure,
            int rounds,
            @Nullable Spread baseline,
            @Nullable Spread own,
            @Nullable Spread ratio,
            Judgement judgement) {
        static Line of(Comparison comparison, double tolerance) {
            boolean none = comparison.pairs().isEmpty();
            return new Line(
                    comparison.scenario(),
                    comparison.name(),
                    comparison.pairs().size(),
                    none ? null : comparison.spread(Pair::before),
                    none ? null : comparison.spread(Pair::now),
                    none ? null : comparison.spread(Pair::ratio),
                    comparison.judge(tolerance));
        }
    }

    public static GuardReport of(Heading heading, Path baseline, double tolerance, int rounds, Measurements measured) {
        return new GuardReport(
                heading.machine(),
                heading.date(),
                heading.command(),
                baseline.toString(),
                tolerance,
                rounds,
                measured.voids(),
                measured.faults(),
                measured.comparisons().stream()
                        .map(comparison -> Line.of(comparison, tolerance))
                        .toList());
    }

    /** 1: something was lost, did not work or could not be measured; 3: a figure is worse; 0: none is. */
    public int exitCode() {
        if (!faults.isEmpty() || figures.isEmpty() || has(Judgement.UNMEASURED)) {
            return FAULT;
        }
        return has(Judgement.WORSE) ? WORSE : 0;
    }

    private boolean has(Judgement judgement) {
        return figures.stream().anyMatch(line -> line.judgement() == judgement);
    }

    /** The same for people. */
    public static String table(Measurements measured, double tolerance) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("less is better", "baseline", "this", "ratio", "rounds", ""));
        measured.comparisons().forEach(comparison -> rows.add(row(comparison, tolerance)));
        StringBuilder text = new StringBuilder(Table.aligned(rows));
        measured.faults().forEach(fault -> text.append("  ").append(fault).append('\n'));
        return text.append("  runs that did not count, as the machine had other work: ")
                .append(measured.voids())
                .append('\n')
                .toString();
    }

    private static List<String> row(Comparison comparison, double tolerance) {
        DoubleFunction<String> plain = comparison.unit()::format;
        return List.of(
                comparison.scenario() + ": " + comparison.name(),
                cell(comparison, Pair::before, plain),
                cell(comparison, Pair::now, plain),
                cell(comparison, Pair::ratio, ratio -> String.format(Locale.ROOT, "%.2f", ratio)),
                String.valueOf(comparison.pairs().size()),
                comparison.judge(tolerance).name().toLowerCase(Locale.ROOT));
    }

    /** The median, with the least and the most. */
    private static String cell(Comparison comparison, ToDoubleFunction<Pair> value, DoubleFunction<String> format) {
        if (comparison.pairs().isEmpty()) {
            return "-";
        }
        Spread spread = comparison.spread(value);
        return format.apply(spread.median()) + " (" + format.apply(spread.min()) + " to " + format.apply(spread.max())
                + ")";
    }

    /** As one line of JSON. */
    public byte[] line() {
        return Json.writeLine(this);
    }
}
