package brig.cli;

import brig.protocol.api.PruneAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
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
        try (GatewayClient client = main.context().connect()) {
            JsonObject answer = client.request(new SpawnerRequest.Prune(dryRun));
            if (main.json()) {
                main.terminal().json(answer);
                return 0;
            }
            PruneAnswer pruned = answer.as(PruneAnswer.class);
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
        return 0;
    }

    private static String amount(long spawns, long bytes) {
        return spawns + " ended sessions, " + bytes / 1_048_576 + " MiB of streams";
    }
}
