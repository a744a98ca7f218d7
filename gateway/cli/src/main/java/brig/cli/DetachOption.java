package brig.cli;

import brig.cli.tty.DetachKeys;
import picocli.CommandLine.Option;

/** The option of commands that show an agent's terminal. */
final class DetachOption {
    @Option(
            names = "--detach-keys",
            paramLabel = "KEYS",
            defaultValue = DetachKeys.USUAL,
            description =
                    "With --tty: the keys that detach, such as ctrl-p,ctrl-q (the default) or ctrl-]; none if empty.")
    private String keys = DetachKeys.USUAL;

    DetachKeys keys() {
        return DetachKeys.of(keys);
    }
}
