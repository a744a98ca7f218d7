package brig.loadtests.report;

import brig.loadtests.bench.Results;
import brig.loadtests.bench.Series;
import brig.loadtests.bench.Spread;
import brig.loadtests.bench.Verdict;
import brig.loadtests.suite.Bound;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Results as text: a table for each scenario, then a line for each bound. */
public final class Table {
    private Table() {}

    public static String of(Results results) {
        StringBuilder text = new StringBuilder();
        for (Scenario scenario : results.scenarios()) {
            text.append('\n')
                    .append(scenario.name())
                    .append(": ")
                    .append(scenario.says())
                    .append('\n');
            append(text, scenario, results.series(scenario));
        }
        if (!results.verdicts().isEmpty()) {
            text.append("\nBounds\n");
        }
        results.verdicts().forEach(verdict -> text.append(line(verdict)).append('\n'));
        return text.toString();
    }

    private static void append(StringBuilder text, Scenario scenario, List<Series> peers) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("peer"));
        scenario.figures().forEach(figure -> head.add(figure.label()));
        rows.add(head);
        for (Series series : peers) {
            List<String> row = new ArrayList<>(List.of(series.peer()));
            scenario.figures().forEach(figure -> row.add(cell(series, figure)));
            rows.add(row);
        }
        text.append(aligned(rows));
        peers.forEach(series -> series.faults()
                .forEach(fault -> text.append("  ")
                        .append(series.peer())
                        .append(": ")
                        .append(fault)
                        .append('\n')));
    }

    /** Rows of the same number of cells, with columns of one width each. */
    public static String aligned(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        rows.forEach(row -> {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                text.append("  ").append(i == 0 ? row.get(i) + padding : padding + row.get(i));
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** The median, with minimum and maximum if there are several runs. */
    static String cell(Series series, Figure figure) {
        return series.spread(figure)
                .map(spread -> text(figure, spread, series.valid().size()))
                .orElse("-");
    }

    private static String text(Figure figure, Spread spread, int runs) {
        String median = figure.format(spread.median());
        return runs == 1
                ? median
                : median + " (" + figure.format(spread.min()) + " to " + figure.format(spread.max()) + ")";
    }

    static String line(Verdict verdict) {
        Bound bound = verdict.bound();
        return "  %-10s %-16s %s: %s [%s]"
                .formatted(verdict.status().word(), bound.scenario(), bound.text(), verdict.evidence(), bound.says());
    }
}
