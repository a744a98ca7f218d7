package brig.cli;

import brig.cli.terminal.Terminal;
import picocli.CommandLine.Option;

/** What commands have in common that print what an agent wrote. */
final class RawOption {
    @Option(
            names = "--raw",
            description =
                    "Print the agent's output unfiltered on a terminal too, with all control sequences. Only for agents that "
                            + "you trust: they can change the terminal's title and clipboard, clear it, and forge what it shows.")
    private boolean raw;

    void apply(Terminal terminal) {
        if (raw) {
            terminal.becomeRaw();
        }
    }
}
