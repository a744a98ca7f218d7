package brig.loadtests.report;

import brig.loadtests.bench.Series;
import brig.loadtests.bench.Spread;
import brig.loadtests.suite.Figure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A bar per peer: the median, with a line from minimum to maximum. */
final class BarChart {
    private static final int LABEL_WIDTH = 150;
    private static final int BAR_WIDTH_MAX = 420;
    private static final int WIDTH = 800;
    private static final int ROW_HEIGHT = 24;

    private BarChart() {}

    static String of(List<Series> peers, Figure figure) {
        double most = peers.stream()
                .flatMap(series -> series.spread(figure).stream())
                .mapToDouble(Spread::max)
                .max()
                .orElse(0);
        StringBuilder svg = new StringBuilder("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                .formatted(WIDTH, peers.size() * ROW_HEIGHT + 4, Html.escape(figure.label())));
        int y = 2;
        for (Series series : peers) {
            Optional<Spread> spread = series.spread(figure);
            svg.append("<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>"
                    .formatted(LABEL_WIDTH - 8, y + 16, Html.escape(series.peer())));
            int end = LABEL_WIDTH;
            if (spread.isPresent() && most > 0) {
                end = (int) Math.round(x(spread.get().max(), most));
                svg.append(bar(series.peer(), y, spread.get(), most));
            }
            svg.append("<text x=\"%d\" y=\"%d\">%s</text>"
                    .formatted(
                            end + 8,
                            y + 16,
                            spread.map(values -> figure.format(values.median())).orElse("no run counts")));
            y += ROW_HEIGHT;
        }
        return svg.append("</svg>").toString();
    }

    private static String bar(String peer, int y, Spread spread, double most) {
        double width = Math.max(1, x(spread.median(), most) - LABEL_WIDTH);
        return String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>"
                        + "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"spread\"/>",
                LABEL_WIDTH,
                y + 2,
                width,
                ROW_HEIGHT - 6,
                Html.style(peer),
                x(spread.min(), most),
                x(spread.max(), most),
                y + 11,
                y + 11);
    }

    private static double x(double value, double most) {
        return LABEL_WIDTH + Math.max(0, value) / most * BAR_WIDTH_MAX;
    }
}
