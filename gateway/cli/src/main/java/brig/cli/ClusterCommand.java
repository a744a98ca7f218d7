package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.ClusterView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code brig cluster}. */
@Command(
        name = "cluster",
        description =
                "Several gateways as one: who owns which host. The settings are in 'cluster', see docs/cluster.md.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  brig cluster status"})
final class ClusterCommand implements Runnable {
    @ParentCommand
    private Main main = new Main();

    @Override
    public void run() {
        throw new BrigException(
                ErrorCode.UNKNOWN_ACTION, "which command? 'brig cluster status' shows who owns which host");
    }

    @Command(
            description = "Show who owns each shared host, as this gateway sees it.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Exits with 1 if this gateway is alone or NATS does not answer, or a host has no owner that reaches it.",
                "",
                "Examples:",
                "  brig cluster status",
                "  brig cluster status --json | jq '.hosts[] | select(.up | not)'"
            })
    int status() {
        JsonObject answer = main.show(new SpawnerRequest.Cluster(), ClusterView.class, this::print);
        ClusterView cluster = answer.as(ClusterView.class);
        return cluster.connected() && cluster.hosts().stream().allMatch(ClusterView.SharedHost::up) ? 0 : 1;
    }

    private void print(ClusterView cluster) {
        if (cluster.gateway() == null) {
            main.terminal().note("this gateway is alone: the settings have no cluster.servers");
            return;
        }
        main.terminal()
                .table(
                        List.of("HOST", "OWNER", "TERM", "WORKER-AGENT", "HERE"),
                        cluster.hosts().stream().map(ClusterCommand::row).toList());
        if (!cluster.connected()) {
            main.terminal().note("NATS does not answer gateway " + cluster.gateway() + "; what is shown is old");
        }
    }

    private static List<String> row(ClusterView.SharedHost host) {
        return List.of(
                host.name(),
                host.owner() == null ? "none" : host.owner(),
                host.term() == 0 ? "" : String.valueOf(host.term()),
                host.up() ? "up" : "out of reach",
                host.part().name().toLowerCase(Locale.ROOT));
    }
}
