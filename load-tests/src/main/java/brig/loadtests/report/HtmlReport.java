package brig.loadtests.report;

import brig.loadtests.bench.Results;
import brig.loadtests.bench.Series;
import brig.loadtests.bench.Verdict;
import brig.loadtests.suite.Figure;
import brig.loadtests.suite.Scenario;
import java.util.List;

/** Results as one self-contained page without scripts. */
public final class HtmlReport {
    private HtmlReport() {}

    public static String of(Heading heading, Results results) {
        StringBuilder page = new StringBuilder(
                        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                + "<meta name=\"viewport\" content=\"width=device-width\"><title>Brig under load</title><style>")
                .append(Html.STYLE)
                .append("</style></head><body>\n<h1>Brig under load</h1>\n");
        page.append("<p>%s<br>%s<br><code>%s</code></p>\n"
                .formatted(
                        Html.escape(heading.machine()), Html.escape(heading.date()), Html.escape(heading.command())));
        heading.absent().forEach(line -> page.append("<p class=\"fault\">%s</p>\n".formatted(Html.escape(line))));
        page.append(
                "<p>Figures are medians of interleaved rounds, with the least and the most. Server and generator had a"
                        + " core each. Every frame was checked for order and completeness.</p>\n");
        appendVerdicts(page, results.verdicts());
        results.scenarios().forEach(scenario -> appendScenario(page, scenario, results.series(scenario)));
        return page.append("</body></html>\n").toString();
    }

    private static void appendVerdicts(StringBuilder page, List<Verdict> verdicts) {
        if (verdicts.isEmpty()) {
            return;
        }
        page.append("<h2>Bounds</h2>\n<table><tr><th>scenario</th><th>bound</th><th>measured</th><th></th></tr>\n");
        for (Verdict verdict : verdicts) {
            page.append(
                    "<tr><td>%s</td><td class=\"text\">%s<br><small>%s</small></td><td>%s</td><td class=\"%s\">%s</td></tr>\n"
                            .formatted(
                                    Html.escape(verdict.bound().scenario()),
                                    Html.escape(verdict.bound().text()),
                                    Html.escape(verdict.bound().says()),
                                    Html.escape(verdict.evidence()),
                                    verdict.status().word(),
                                    verdict.status().word()));
        }
        page.append("</table>\n");
    }

    private static void appendScenario(StringBuilder page, Scenario scenario, List<Series> peers) {
        page.append("<h2>%s</h2>\n<p>%s</p>\n".formatted(Html.escape(scenario.name()), Html.escape(scenario.says())));
        Figure first = scenario.figures().getFirst();
        page.append("<h3>")
                .append(Html.escape(first.label()))
                .append("</h3>\n")
                .append(BarChart.of(peers, first))
                .append('\n');
        appendTable(page, scenario, peers);
        List<Series> timed = peers.stream()
                .filter(series -> series.latencyNs().getTotalCount() > 0)
                .toList();
        if (scenario.figures().contains(Figure.P99_MS) && !timed.isEmpty()) {
            page.append("<h3>latency</h3>\n").append(Charts.latency(timed)).append('\n');
        }
        if (scenario.memoryChart()) {
            peers.stream()
                    .flatMap(series -> series.valid().stream()
                            .filter(run -> run.progress().size() > 1)
                            .limit(1))
                    .forEach(run -> page.append("<h3>memory of %s</h3>\n".formatted(Html.escape(run.peer())))
                            .append(Charts.memory(run))
                            .append('\n'));
        }
    }

    private static void appendTable(StringBuilder page, Scenario scenario, List<Series> peers) {
        page.append("<table><tr><th>peer</th>");
        scenario.figures()
                .forEach(figure ->
                        page.append("<th>").append(Html.escape(figure.label())).append("</th>"));
        page.append("</tr>\n");
        for (Series series : peers) {
            page.append("<tr><td>").append(Html.escape(series.peer())).append("</td>");
            scenario.figures()
                    .forEach(figure -> page.append("<td>")
                            .append(Html.escape(Table.cell(series, figure)))
                            .append("</td>"));
            page.append("</tr>\n");
        }
        page.append("</table>\n");
        peers.forEach(series -> series.faults()
                .forEach(fault -> page.append(
                        "<p class=\"fault\">%s: %s</p>\n".formatted(Html.escape(series.peer()), Html.escape(fault)))));
    }
}
