package brig.protocol.golden;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A file of cases. Each case is a command line ({@code lines max=16}, {@code frames}, {@code objects max=64},
 * {@code chunks stream=stdout}), its input with one line per read, {@code ----}, and the output up to an empty line.
 * Lines that begin with # are comments. Bytes are written in {@link Notation}.
 */
final class GoldenScript {
    private static final String SEPARATOR = "----";

    /** @param head the lines before the output: comments, command, input and the separator */
    record Case(List<String> head, List<String> output) {
        String command() {
            return words()[0];
        }

        /** The values behind the command, {@code name=value}. */
        Map<String, String> options() {
            Map<String, String> options = new HashMap<>();
            for (String word : words()) {
                String[] pair = word.split("=", 2);
                if (pair.length == 2) {
                    options.put(pair[0], pair[1]);
                }
            }
            return options;
        }

        List<byte[]> reads() {
            return code().stream().skip(1).map(Notation::bytes).toList();
        }

        private List<String> code() {
            return head.stream()
                    .filter(line -> !line.startsWith("#") && !line.equals(SEPARATOR))
                    .toList();
        }

        private String[] words() {
            return code().get(0).split(" ");
        }
    }

    private GoldenScript() {}

    static List<Case> parse(List<String> lines) {
        List<Case> cases = new ArrayList<>();
        List<String> head = new ArrayList<>();
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            head.add(line);
            if (line.equals(SEPARATOR)) {
                List<String> output = new ArrayList<>();
                while (at + 1 < lines.size() && !lines.get(at + 1).isEmpty()) {
                    output.add(lines.get(++at));
                }
                cases.add(new Case(List.copyOf(head), output));
                head.clear();
                at++;
            }
        }
        if (!head.isEmpty()) {
            throw new IllegalArgumentException("no " + SEPARATOR + " behind " + head);
        }
        return cases;
    }

    static List<String> format(List<Case> cases) {
        List<String> lines = new ArrayList<>();
        for (Case one : cases) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(one.head());
            lines.addAll(one.output());
        }
        return lines;
    }
}
