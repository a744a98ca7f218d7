package brig.formats;

import brig.formats.acp.OpenCodeRun;
import brig.formats.adapter.FrameSink;
import brig.formats.adapter.TrackedOutputReader;
import brig.formats.claude.ClaudeOutputReader;
import brig.formats.codex.CodexExec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Output formats of agents that another program starts and controls. Brig reads the output and answers nothing. */
public enum TrackedFormat {
    /** {@code claude -p --output-format stream-json --verbose}. */
    CLAUDE("claude-stream-json", "claude"),
    /** {@code opencode run --format json}. */
    OPENCODE("opencode-json", "opencode"),
    /** {@code codex exec --json}. */
    CODEX("codex-json", "codex");

    private final String format;
    private final String program;

    TrackedFormat(String format, String program) {
        this.format = format;
        this.program = program;
    }

    /**
     * Adds the options that select this output format. The command stays unchanged if it selects another output itself,
     * or is not a run without a terminal.
     *
     * @param command the program and its arguments
     */
    public List<String> spoken(List<String> command) {
        List<String> arguments = command.subList(1, command.size());
        return switch (this) {
            case CLAUDE ->
                !arguments.contains("-p") && !arguments.contains("--print")
                        ? command
                        : !has(arguments, "--output-format")
                                ? with(command, 1, "--output-format", "stream-json", "--verbose")
                                : arguments.contains("stream-json") && !arguments.contains("--verbose")
                                        ? with(command, 1, "--verbose")
                                        : command;
            case OPENCODE ->
                !arguments.contains("run") || has(arguments, "--format")
                        ? command
                        : with(command, command.indexOf("run") + 1, "--format", "json");
            case CODEX ->
                !arguments.contains("exec") || arguments.contains("--json")
                        ? command
                        : with(command, command.indexOf("exec") + 1, "--json");
        };
    }

    private static boolean has(List<String> arguments, String option) {
        return arguments.stream().anyMatch(argument -> argument.equals(option) || argument.startsWith(option + "="));
    }

    private static List<String> with(List<String> command, int at, String... options) {
        List<String> more = new ArrayList<>(command);
        more.addAll(at, List.of(options));
        return more;
    }

    /** The format of that name; empty if there is none. */
    public static Optional<TrackedFormat> named(String format) {
        return Arrays.stream(values())
                .filter(listening -> listening.format.equals(format))
                .findFirst();
    }

    /** The format that a program of that file name writes. */
    public static Optional<TrackedFormat> of(String program) {
        return Arrays.stream(values())
                .filter(listening -> listening.program.equals(program))
                .findFirst();
    }

    public String format() {
        return format;
    }

    /** The usual name of the agent's program. */
    public String program() {
        return program;
    }

    /**
     * A reader of the agent's output.
     *
     * @param sink takes the frames
     * @param environment the agent's environment variables
     */
    public TrackedOutputReader open(FrameSink sink, Map<String, String> environment) {
        return new TrackedOutputReader(sink, frames -> switch (this) {
            case CLAUDE -> new ClaudeOutputReader(frames, claudeSettings(environment));
            case OPENCODE -> new OpenCodeRun(frames);
            case CODEX -> new CodexExec(frames);
        });
    }

    private static Path claudeSettings(Map<String, String> environment) {
        String named = environment.get("CLAUDE_CONFIG_DIR");
        return named != null && !named.isEmpty()
                ? Path.of(named)
                : Path.of(environment.getOrDefault("HOME", "/")).resolve(".claude");
    }
}
