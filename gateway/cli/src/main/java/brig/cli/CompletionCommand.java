package brig.cli;

import brig.protocol.BrigException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code brig completion}. */
@Command(
        name = "completion",
        description = "Print the completion script of a shell: for commands, options, sessions and agents.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig completion bash > ~/.local/share/bash-completion/completions/brig",
            "  source <(brig completion zsh)                     in ~/.zshrc",
            "  brig completion fish > ~/.config/fish/completions/brig.fish"
        })
final class CompletionCommand implements Callable<Integer> {
    private static final String SESSIONS = "brig sessions --quiet 2>/dev/null";
    private static final String AGENTS = "brig agents --quiet 2>/dev/null";
    /** Commands whose first word is a session, and those whose first word is an agent. */
    private static final List<String> OF_SESSIONS = List.of(
            "attach",
            "logs",
            "tree",
            "terminate",
            "stop",
            "kill",
            "diff",
            "apply",
            "checkpoint",
            "checkpoints",
            "restore",
            "fork",
            "exec",
            "port",
            "open",
            "pause",
            "resume",
            "rebind");

    private static final List<String> OF_AGENTS = List.of("run", "spawn");

    @ParentCommand
    private Main main = new Main();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private String shell = "";

    @Override
    public Integer call() {
        CommandLine brig = spec.root().commandLine();
        main.terminal()
                .verbatim(
                        switch (shell) {
                            // Both get the same script, which loads bashcompinit in zsh.
                            case "bash", "zsh" -> AutoComplete.bash("brig", brig) + names();
                            case "fish" -> fish(brig);
                            default -> throw BrigException.invalid("SHELL", "must be bash, zsh or fish");
                        });
        return 0;
    }

    /** Added after picocli's functions, which complete only words known when the script is generated. */
    private static String names() {
        return """

            # Sessions and agents, as they are now.
            _brig_names() {
                _complete_brig "$@"
                local word=${COMP_WORDS[COMP_CWORD]}
                [ "$COMP_CWORD" = 2 ] || return 0
                case ${COMP_WORDS[1]} in
                    %s) COMPREPLY+=($(compgen -W "$(%s)" -- "$word")) ;;
                    %s) COMPREPLY+=($(compgen -W "$(%s)" -- "$word")) ;;
                esac
            }
            complete -F _brig_names -o default brig
            """.formatted(String.join("|", OF_SESSIONS), SESSIONS, String.join("|", OF_AGENTS), AGENTS);
    }

    private static String fish(CommandLine brig) {
        List<String> lines = new ArrayList<>(List.of("complete -c brig -f"));
        for (Map.Entry<String, CommandLine> command : brig.getSubcommands().entrySet()) {
            CommandSpec own = command.getValue().getCommandSpec();
            lines.add("complete -c brig -n __fish_use_subcommand -a " + command.getKey() + " -d "
                    + quoted(own.usageMessage().description()));
            for (OptionSpec option : own.options()) {
                if (!option.hidden()) {
                    lines.add("complete -c brig -n " + in(List.of(command.getKey())) + option(option));
                }
            }
        }
        lines.add("complete -c brig -n " + in(OF_SESSIONS) + " -a '(" + SESSIONS + ")'");
        lines.add("complete -c brig -n " + in(OF_AGENTS) + " -a '(" + AGENTS + ")'");
        return String.join("\n", lines) + "\n";
    }

    private static String in(List<String> commands) {
        return "'__fish_seen_subcommand_from " + String.join(" ", commands) + "'";
    }

    private static String option(OptionSpec option) {
        String names = Arrays.stream(option.names())
                .map(name -> name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1))
                .collect(Collectors.joining());
        return names + (option.arity().max() > 0 ? " -r" : "") + " -d " + quoted(option.description());
    }

    /** The first line only: fish shows it beside the word. */
    private static String quoted(String[] description) {
        String first = description.length == 0 ? "" : description[0];
        return "'" + first.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
