package brig.loadtests.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;

/** Lines over common axes, whose scales the caller chooses. */
final class LineChart {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 260;
    private static final int LEFT = 80;
    private static final int RIGHT = 150;
    private static final int TOP = 10;
    private static final int BOTTOM = 30;

    private final Axis across;
    private final Axis up;
    private final StringBuilder lines = new StringBuilder();
    private final List<String> legend = new ArrayList<>();

    /**
     * A scale.
     *
     * @param place maps a value before scaling: identity or logarithm
     * @param marks values labelled at the axis
     */
    record Axis(double least, double most, DoubleUnaryOperator place, List<Double> marks, DoubleFunction<String> text) {
        /** From 0, with five marks. */
        static Axis linear(double most, DoubleFunction<String> text) {
            double end = most > 0 ? most : 1;
            return new Axis(0, end, value -> value, List.of(0.0, end / 4, end / 2, end * 3 / 4, end), text);
        }

        double part(double value) {
            double from = place.applyAsDouble(least);
            double to = place.applyAsDouble(most);
            double at = (place.applyAsDouble(value) - from) / (to - from);
            return Math.clamp(at, 0, 1);
        }
    }

    record Point(double x, double y) {}

    LineChart(Axis across, Axis up) {
        this.across = across;
        this.up = up;
    }

    /** @param style a CSS class */
    LineChart line(String name, String style, List<Point> points) {
        StringBuilder path = new StringBuilder();
        for (Point point : points) {
            path.append(
                    String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", x(point.x()), y(point.y())));
        }
        lines.append("<path d=\"%s\" class=\"line %s\"/>".formatted(path, style));
        int row = TOP + 14 + legend.size() * 18;
        legend.add("<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" class=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>"
                .formatted(WIDTH - RIGHT + 14, row - 9, style, WIDTH - RIGHT + 30, row, Html.escape(name)));
        return this;
    }

    String svg(String label) {
        StringBuilder svg = new StringBuilder("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
                .formatted(WIDTH, HEIGHT, Html.escape(label)));
        for (double mark : up.marks()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>"
                            + "<text x=\"%d\" y=\"%.1f\" class=\"name\">%s</text>",
                    LEFT,
                    WIDTH - RIGHT,
                    y(mark),
                    y(mark),
                    LEFT - 8,
                    y(mark) + 4,
                    Html.escape(up.text().apply(mark))));
        }
        for (double mark : across.marks()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" class=\"mark\">%s</text>",
                    x(mark),
                    HEIGHT - 8,
                    Html.escape(across.text().apply(mark))));
        }
        return svg.append(lines)
                .append(String.join("", legend))
                .append("</svg>")
                .toString();
    }

    private double x(double value) {
        return LEFT + across.part(value) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - up.part(value) * (HEIGHT - TOP - BOTTOM);
    }
}
