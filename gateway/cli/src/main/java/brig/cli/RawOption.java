package brig.cli;

import brig.cli.terminal.Terminal;
import picocli.CommandLine.Option;

/** The option of commands that print agents' output. */
final class RawOption {
    @Option(
            names = "--raw",
            description =
                    "Print the agent's output unfiltered on a terminal too, with all control sequences. Only for agents that "
                            + "you trust: they can change the terminal's title and clipboard, clear it, and forge what it shows.")
    private boolean raw;

    boolean isGiven() {
        return raw;
    }

    void apply(Terminal terminal) {
        if (raw) {
            terminal.becomeRaw();
        }
    }
}
