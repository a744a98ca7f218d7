package brig.gateway.cli;

import brig.protocol.Fields;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code brig completion}. */
@Command(name = "completion", description = "Print what lets a shell complete brig's commands and options.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:",
            "  brig completion bash > ~/.local/share/bash-completion/completions/brig",
            "  source <(brig completion zsh)                     in ~/.zshrc"})
final class CompletionCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    private String shell = "";

    @Override
    public Integer call() {
        // Both get the same script: it loads bashcompinit where zsh reads it.
        if (!List.of("bash", "zsh").contains(shell)) {
            throw Fields.invalid("SHELL", "must be bash or zsh");
        }
        main.terminal().verbatim(AutoComplete.bash("brig", spec.root().commandLine()));
        return 0;
    }
}
