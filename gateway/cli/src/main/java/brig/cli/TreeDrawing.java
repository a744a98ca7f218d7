package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.VisibleText;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.TreeView;
import brig.protocol.frame.TokenUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A session's tree as lines of text: the agent itself, and its sub-agents below their parents. */
final class TreeDrawing {
    private static final int NAME_CHARS_MAX = 40;
    private static final int PROMPT_CHARS_MAX = 60;
    private static final int SHORT_ID_CHARS = 8;
    private static final int KNOWN_SHOWN = 20;

    private final TreeView tree;
    private final long nowMs;

    /** @param nowMs the current time, for the age of running agents */
    TreeDrawing(TreeView tree, long nowMs) {
        this.tree = tree;
        this.nowMs = nowMs;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        TreeView.Main main = tree.main();
        String agent = main.agent() == null ? tree.agent() : main.agent();
        lines.add(line(
                placed(agent, tree.host()) + " " + tree.taskId(),
                doing(main),
                main.startedMs(),
                main.endedMs(),
                main.usage(),
                ""));
        lines.addAll(agents(tree.agents()));
        long frames = tree.leftOut().frames();
        if (frames > 0) {
            lines.add("(" + frames + " frames about sub-agents have no place here)");
        } else if (!tree.complete()) {
            lines.add("(the oldest frames are deleted: what only they told is missing)");
        }
        return lines;
    }

    /** An agent, and the host that it is on if that is not the gateway's own. */
    static String placed(String agent, @Nullable String host) {
        return host == null ? agent : agent + " on " + host;
    }

    /** The activity of a live session, else how its agent ended. */
    private String doing(TreeView.Main main) {
        return tree.activity() == SpawnActivity.ENDED
                ? main.status().wireName()
                : tree.activity().wireName();
    }

    /** From last to first, so that each knows whether a sibling follows. */
    private List<String> agents(List<TreeView.SubAgent> agents) {
        int deepest = agents.stream().mapToInt(TreeView.SubAgent::depth).max().orElse(0);
        boolean[] follows = new boolean[deepest + 2];
        List<String> upwards = new ArrayList<>();
        for (TreeView.SubAgent agent : agents.reversed()) {
            int depth = agent.depth();
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

    private String agent(TreeView.SubAgent agent) {
        String type = agent.subagentType() == null ? "agent" : agent.subagentType();
        String marks = (agent.background() ? "  background" : "") + (agent.unknownParent() ? "  unknown parent" : "");
        String said = agent.error() == null ? agent.prompt() : agent.error();
        return line(
                nameOf(type, agent.agentId()),
                agent.status().wireName(),
                agent.startedMs(),
                agent.endedMs(),
                agent.usage(),
                marks + (said == null || said.isEmpty() ? "" : "  " + cut(said, PROMPT_CHARS_MAX)));
    }

    /** A sub-agent's name: its type, and the end of its id. Brig's own, as {@code service:db}, have both in their id. */
    static String nameOf(String type, String id) {
        String own = id.startsWith(type + ":") ? id.substring(type.length() + 1) : null;
        return cut(type, NAME_CHARS_MAX) + " "
                + cut(own == null ? id.substring(Math.max(0, id.length() - SHORT_ID_CHARS)) : own, NAME_CHARS_MAX);
    }

    /**
     * Resolves a name that a person typed.
     *
     * @param named its id, or the end of it that the tree shows, or {@code main}
     * @throws BrigException {@code NOT_FOUND} naming the existing ones
     */
    static String agentOf(TreeView tree, String named) {
        List<String> ids =
                tree.agents().stream().map(TreeView.SubAgent::agentId).toList();
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

    private String line(
            String name, String status, long startedMs, long endedMs, @Nullable TokenUsage usage, String rest) {
        StringBuilder line =
                new StringBuilder(cut(name, 2 * NAME_CHARS_MAX)).append("  ").append(status);
        if (startedMs > 0) {
            line.append("  ").append(duration((endedMs > 0 ? endedMs : nowMs) - startedMs));
        }
        if (usage != null) {
            line.append("  ")
                    .append(tokens(usage.inputTokens()))
                    .append(" in ")
                    .append(tokens(usage.outputTokens()))
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

    static String tokens(long count) {
        return count < 1000
                ? String.valueOf(count)
                : count < 1_000_000
                        ? String.format(Locale.ROOT, "%.1fk", count / 1e3)
                        : String.format(Locale.ROOT, "%.1fM", count / 1e6);
    }

    /** The beginning of untrusted text on one line, with spaces for invisible characters. */
    static String cut(String text, int charsMax) {
        StringBuilder line = new StringBuilder();
        text.codePoints()
                .limit(charsMax)
                .forEach(point -> line.appendCodePoint(VisibleText.isPlain(point) ? point : ' '));
        return line + (text.codePointCount(0, text.length()) > charsMax ? "…" : "");
    }
}
