package brig.cli;

import brig.protocol.api.PruneAnswer;
import brig.protocol.api.SpawnerRequest;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig prune}. */
@Command(
        name = "prune",
        description = "Delete the records of ended sessions that exceed the retention.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Brig does this automatically. The limits are retention.days, retention.bytes and retention.spawns",
            "in brig.json. Sessions that live or are being read are kept.",
            "",
            "Example:",
            "  brig prune --dry-run                   show what would be deleted, and for which limit"
        })
final class PruneCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(names = "--dry-run", description = "Only show what would be deleted.")
    private boolean dryRun;

    @Override
    public Integer call() {
        main.show(new SpawnerRequest.Prune(dryRun), PruneAnswer.class, this::print);
        return 0;
    }

    private void print(PruneAnswer pruned) {
        String reasons = pruned.reasons().entrySet().stream()
                .map(reason -> reason.getValue() + " by retention." + reason.getKey())
                .collect(Collectors.joining(", "));
        main.terminal()
                .println((dryRun ? "would delete " : "deleted ")
                        + amount(pruned.spawns(), pruned.bytes())
                        + (reasons.isEmpty() ? "" : ": " + reasons));
        main.terminal()
                .println((dryRun ? "would keep " : "kept ")
                        + amount(pruned.kept().spawns(), pruned.kept().bytes()));
    }

    private static String amount(long spawns, long bytes) {
        return spawns + " ended sessions, " + bytes / 1_048_576 + " MiB of streams";
    }
}
