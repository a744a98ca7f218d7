package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.VisibleText;
import brig.protocol.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A session's tree as lines of text: the agent itself, and its sub-agents below their parents. */
final class TreeDrawing {
    private static final int NAME_CHARS_MAX = 40;
    private static final int PROMPT_CHARS_MAX = 60;
    private static final int SHORT_ID_CHARS = 8;
    private static final int KNOWN_SHOWN = 20;

    private final Fields tree;
    private final long nowMs;

    /** @param nowMs what the age of agents that run is counted to */
    TreeDrawing(Fields tree, long nowMs) {
        this.tree = tree;
        this.nowMs = nowMs;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        Fields main = tree.object("main");
        lines.add(line(
                main.text("agent", tree.text("agent", "")) + " " + tree.text("task_id", ""), main, doing(main), ""));
        lines.addAll(agents(tree.objects("agents")));
        Fields leftOut = tree.object("left_out");
        long frames = leftOut.number("frames", 0, Long.MAX_VALUE, 0);
        if (frames > 0) {
            lines.add("(" + frames + " frames about sub-agents have no place here)");
        } else if (!tree.flag("complete")) {
            lines.add("(the oldest frames are deleted: what only they told is missing)");
        }
        return lines;
    }

    /** While the session lives, what it does; then how its agent ended. */
    private String doing(Fields main) {
        String activity = tree.text("activity", "ended");
        return activity.equals("ended") ? main.text("status", "") : activity;
    }

    /** From the last to the first: so it is known of each whether a sibling follows. */
    private List<String> agents(List<Fields> agents) {
        int deepest = agents.stream().mapToInt(TreeDrawing::depth).max().orElse(0);
        boolean[] follows = new boolean[deepest + 2];
        List<String> upwards = new ArrayList<>();
        for (Fields agent : agents.reversed()) {
            int depth = depth(agent);
            StringBuilder branch = new StringBuilder();
            for (int level = 1; level < depth; level++) {
                branch.append(follows[level] ? "│  " : "   ");
            }
            branch.append(follows[depth] ? "├─ " : "└─ ");
            follows[depth] = true;
            follows[depth + 1] = false;
            upwards.add(branch + agent(agent));
        }
        return upwards.reversed();
    }

    private static int depth(Fields agent) {
        return (int) agent.number("depth", 1, Integer.MAX_VALUE, 1);
    }

    private String agent(Fields agent) {
        String id = agent.text("agent_id", "");
        String type = agent.text("subagent_type", "agent");
        String name = nameOf(type, id);
        String marks = (agent.flag("background") ? "  background" : "")
                + (agent.flag("unknown_parent") ? "  unknown parent" : "");
        String said = agent.text("error", agent.text("prompt", ""));
        return line(
                name,
                agent,
                agent.text("status", ""),
                marks + (said.isEmpty() ? "" : "  " + cut(said, PROMPT_CHARS_MAX)));
    }

    /** What a sub-agent is called: its type, and the end of its id. */
    static String nameOf(String type, String id) {
        return cut(type, NAME_CHARS_MAX) + " "
                + cut(id.substring(Math.max(0, id.length() - SHORT_ID_CHARS)), NAME_CHARS_MAX);
    }

    /**
     * The sub-agent that a person means.
     *
     * @param named its id, or the end of it that the tree shows, or {@code main}
     * @throws BrigException {@code NOT_FOUND} naming those that there are
     */
    static String agentOf(Fields tree, String named) {
        List<String> ids = tree.objects("agents").stream()
                .map(agent -> agent.text("agent_id", ""))
                .toList();
        List<String> meant = ids.stream()
                .filter(id -> named.length() >= SHORT_ID_CHARS && id.endsWith(named))
                .toList();
        if (named.equals("main") || ids.contains(named)) {
            return named;
        }
        if (meant.size() != 1) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND,
                    "the session has " + (meant.isEmpty() ? "no agent '" : "several agents '")
                            + cut(named, NAME_CHARS_MAX) + "'; it has "
                            + ids.stream()
                                    .limit(KNOWN_SHOWN)
                                    .map(id -> ", " + cut(id, 2 * NAME_CHARS_MAX))
                                    .collect(Collectors.joining(
                                            "",
                                            "main",
                                            ids.size() > KNOWN_SHOWN
                                                    ? " and " + (ids.size() - KNOWN_SHOWN) + " more"
                                                    : "")));
        }
        return meant.getFirst();
    }

    private String line(String name, Fields node, String status, String rest) {
        StringBuilder line =
                new StringBuilder(cut(name, 2 * NAME_CHARS_MAX)).append("  ").append(status);
        long startedMs = node.number("started_ms", 0, Long.MAX_VALUE, 0);
        if (startedMs > 0) {
            line.append("  ").append(duration(node.number("ended_ms", 0, Long.MAX_VALUE, nowMs) - startedMs));
        }
        if (node.has("output_tokens")) {
            line.append("  ")
                    .append(tokens(node, "input_tokens"))
                    .append(" in ")
                    .append(tokens(node, "output_tokens"))
                    .append(" out");
        }
        return line.append(rest).toString();
    }

    static String duration(long ms) {
        long seconds = Math.max(ms, 0) / 1000;
        return seconds >= 3600
                ? seconds / 3600 + "h" + seconds / 60 % 60 + "m"
                : seconds >= 60
                        ? seconds / 60 + "m" + seconds % 60 + "s"
                        : String.format(Locale.ROOT, "%.1fs", Math.max(ms, 0) / 1000.0);
    }

    private static String tokens(Fields node, String name) {
        return tokens(node.number(name, 0, Long.MAX_VALUE, 0));
    }

    static String tokens(long count) {
        return count < 1000
                ? String.valueOf(count)
                : count < 1_000_000
                        ? String.format(Locale.ROOT, "%.1fk", count / 1e3)
                        : String.format(Locale.ROOT, "%.1fM", count / 1e6);
    }

    /** Of what an agent wrote, a beginning on one line, with a space for what would not be seen as it is. */
    static String cut(String text, int charsMax) {
        StringBuilder line = new StringBuilder();
        text.codePoints()
                .limit(charsMax)
                .forEach(point -> line.appendCodePoint(VisibleText.isPlain(point) ? point : ' '));
        return line + (text.codePointCount(0, text.length()) > charsMax ? "…" : "");
    }
}
