package brig.workeragent.profile;

import brig.protocol.BrigException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names of tools in requests, in lower case there, and each agent's own names; empty if it has no such tool.
 * OpenCode has one rule for editing and writing; Codex reads and changes files with its shell.
 *
 * <p>Decision 0122.
 */
enum ToolName {
    //        Claude Code     OpenCode      Codex
    BASH("Bash", "bash", "shell"),
    READ("Read", "read", "shell"),
    EDIT("Edit", "edit", "shell"),
    WRITE("Write", "edit", "shell"),
    GREP("Grep", "grep", "shell"),
    GLOB("Glob", "glob", "shell"),
    WEBFETCH("WebFetch", "webfetch", ""),
    WEBSEARCH("WebSearch", "", ""),
    TODOWRITE("", "todowrite", ""),
    SKILL("Skill", "skill", ""),
    TASK("Task", "task", "agents");

    /** For an agent without a table, whose names are passed on unchanged. */
    private static final Pattern OTHER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:*-]{0,99}");

    private final String claude;
    private final String openCode;
    private final String codex;

    ToolName(String claude, String openCode, String codex) {
        this.claude = claude;
        this.openCode = openCode;
        this.codex = codex;
    }

    /**
     * An agent's names of those tools, each once, in order; names are case-insensitive.
     *
     * @param adapter the agent's format; without a table the names are passed on unchanged
     * @throws brig.protocol.BrigException {@code INVALID_FIELD}: the agent has no such tool, or requires another
     */
    static List<String> of(String adapter, String agent, List<String> asked) {
        List<String> told =
                asked.stream().map(name -> of(adapter, agent, name)).distinct().toList();
        if (adapter.equals("codex") && !asked.isEmpty() && asked.stream().noneMatch(BASH::is)) {
            throw BrigException.invalid(
                    "tools",
                    "must have 'bash' for the agent '" + agent
                            + "', which reads and changes files with its shell and cannot be without it");
        }
        return told;
    }

    private static String of(String adapter, String agent, String asked) {
        if (!List.of("claude", "opencode", "codex").contains(adapter)) {
            if (!OTHER.matcher(asked).matches()) {
                throw BrigException.invalid("tools", "must be names that match " + OTHER);
            }
            return asked;
        }
        List<ToolName> there = Arrays.stream(values())
                .filter(tool -> !tool.in(adapter).isEmpty())
                .toList();
        return there.stream()
                .filter(tool -> tool.is(asked))
                .findFirst()
                .map(tool -> tool.in(adapter))
                .orElseThrow(() -> BrigException.invalid(
                        "tools",
                        "has a tool that the agent '" + agent + "' has not; it has "
                                + there.stream().map(ToolName::lower).toList()));
    }

    private boolean is(String asked) {
        return lower().equals(asked.toLowerCase(Locale.ROOT));
    }

    private String lower() {
        return name().toLowerCase(Locale.ROOT);
    }

    private String in(String adapter) {
        return switch (adapter) {
            case "claude" -> claude;
            case "opencode" -> openCode;
            default -> codex;
        };
    }
}
