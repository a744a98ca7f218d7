package brig.loadtests.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A flame graph: a box for each frame, as wide as its share of the time, on the frame that called it. The picture is
 * one file without scripts; a frame's full name and share show where the pointer rests. What is narrower than a pixel
 * is drawn together, and narrower than more if the file would be too large.
 */
public final class FlameGraph {
    private static final int WIDTH = 1200;
    private static final int MARGIN = 12;
    private static final int HEAD = 76;
    private static final int ROW = 17;
    private static final double CHAR_WIDTH = 6.7;
    private static final int CHARS_MIN = 4;
    private static final int CHARS_MAX = 140 * 1024;
    private static final double WIDER = 1.4;

    private final Node root = new Node(new Frame("", Kind.JDK));

    /** Whose code a frame is; each has a colour. */
    public enum Kind {
        BRIG("Brig"),
        NETWORK("Netty, Vert.x"),
        NATIVE("native methods, with system calls"),
        JDK("JDK, others");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        private String style() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A method, as it is named in the picture. */
    public record Frame(String name, Kind kind) {}

    private static final class Node {
        private final Frame frame;
        private final Map<Frame, Node> children = new LinkedHashMap<>();
        private long nanos;

        private Node(Frame frame) {
            this.frame = frame;
        }

        private List<Node> widestFirst() {
            return children.values().stream()
                    .sorted(Comparator.comparingLong((Node node) -> node.nanos).reversed())
                    .toList();
        }
    }

    private record Box(Frame frame, long nanos, double x, double width, int depth) {}

    /** Adds time that was spent in a stack, whose outermost frame comes first. */
    public void add(List<Frame> stack, long nanos) {
        Node node = root;
        node.nanos += nanos;
        for (Frame frame : stack) {
            node = node.children.computeIfAbsent(frame, Node::new);
            node.nanos += nanos;
        }
    }

    /** All time that was added. */
    public long nanos() {
        return root.nanos;
    }

    public String svg(String title, String words) {
        double least = 1;
        String picture = draw(title, words, least);
        while (picture.length() > CHARS_MAX) {
            least *= WIDER;
            picture = draw(title, words, least);
        }
        return picture;
    }

    private String draw(String title, String words, double least) {
        List<Box> boxes = new ArrayList<>();
        place(root, MARGIN, WIDTH - 2 * MARGIN, 0, least, boxes);
        int rows = boxes.stream().mapToInt(Box::depth).max().orElse(0) + 1;
        int height = HEAD + rows * ROW + MARGIN;
        StringBuilder svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" aria-label="%3$s">
                <style>
                svg { --page: #fff; --ink: #1f2328; --brig: #8fd3cb; --network: #bcd0f2; --native: #f5bf8e; --jdk: #e3e6ea; font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace }
                @media (prefers-color-scheme: dark) { svg { --page: #0d1117; --ink: #f0f6fc; --brig: #1f6f68; --network: #33507f; --native: #8f5218; --jdk: #39414b } }
                text { fill: var(--ink); pointer-events: none } .page { fill: var(--page) } .head { font-size: 15px; font-weight: 600 }
                .brig { fill: var(--brig) } .network { fill: var(--network) } .native { fill: var(--native) } .jdk { fill: var(--jdk) }
                g rect { stroke: var(--page); stroke-width: .6 }
                </style>
                <rect class="page" width="%1$d" height="%2$d" rx="8"/>
                <text class="head" x="%4$d" y="24">%3$s</text>
                <text x="%4$d" y="42">%5$s</text>
                """.formatted(WIDTH, height, escape(title), MARGIN, escape(words)));
        legend(svg);
        svg.append("<g>\n");
        boxes.forEach(box -> append(svg, box, height - MARGIN - (box.depth() + 1) * ROW));
        return svg.append("</g>\n</svg>\n").toString();
    }

    private void place(Node node, double x, double width, int depth, double least, List<Box> boxes) {
        double at = x;
        long narrow = 0;
        for (Node child : node.widestFirst()) {
            double own = width * child.nanos / Math.max(1, node.nanos);
            if (own < least) {
                narrow += child.nanos;
                continue;
            }
            boxes.add(new Box(child.frame, child.nanos, at, own, depth));
            place(child, at, own, depth + 1, least, boxes);
            at += own;
        }
        double rest = width * narrow / Math.max(1, node.nanos);
        if (rest >= least) {
            boxes.add(new Box(new Frame("others", Kind.JDK), narrow, at, rest, depth));
        }
    }

    private void append(StringBuilder svg, Box box, int y) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s: %.1f %%</title></rect>",
                box.frame().kind().style(),
                box.x(),
                y,
                box.width(),
                ROW - 1,
                escape(box.frame().name()),
                100.0 * box.nanos() / root.nanos));
        int fitting = (int) ((box.width() - 4) / CHAR_WIDTH);
        if (fitting >= CHARS_MIN) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\">%s</text>",
                    box.x() + 3,
                    y + 12,
                    escape(cut(box.frame().name(), fitting))));
        }
        svg.append('\n');
    }

    private static void legend(StringBuilder svg) {
        double x = MARGIN;
        for (Kind kind : Kind.values()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.0f\" y=\"52\" width=\"12\" height=\"12\"/><text x=\"%.0f\" y=\"62\">%s</text>\n",
                    kind.style(),
                    x,
                    x + 17,
                    kind.label));
            x += 17 + kind.label.length() * CHAR_WIDTH + 3 * CHAR_WIDTH;
        }
    }

    private static String cut(String name, int chars) {
        return name.length() <= chars ? name : name.substring(0, chars - 2) + "..";
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
