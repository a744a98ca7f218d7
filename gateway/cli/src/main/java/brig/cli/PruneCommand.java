package brig.cli;

import brig.protocol.json.Fields;
import java.util.Map;
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
            Fields pruned = client.request(Map.of("action", "prune", "dry_run", dryRun));
            if (main.json()) {
                main.terminal().json(pruned.asMap());
                return 0;
            }
            String reasons = pruned.object("reasons").asMap().entrySet().stream()
                    .map(reason -> reason.getValue() + " by retention." + reason.getKey())
                    .collect(Collectors.joining(", "));
            main.terminal()
                    .println((dryRun ? "would delete " : "deleted ")
                            + amount(pruned)
                            + (reasons.isEmpty() ? "" : ": " + reasons));
            main.terminal().println((dryRun ? "would keep " : "kept ") + amount(pruned.object("kept")));
        }
        return 0;
    }

    private static String amount(Fields fields) {
        return fields.number("spawns", 0, Long.MAX_VALUE, 0) + " ended sessions, "
                + fields.number("bytes", 0, Long.MAX_VALUE, 0) / 1_048_576 + " MiB of streams";
    }
}
