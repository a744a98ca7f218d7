package brig.cli;

import brig.protocol.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig spawn}. */
@Command(
        name = "spawn",
        description = "Start a session and print its names, token and socket.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig spawn shell --task-id build",
            "  brig attach build",
            "  brig spawn --tty claude --task-id fix",
            "  brig spawn --once --json demo-writer -- hello"
        })
final class SpawnCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Mixin
    private SpawnOptions options = new SpawnOptions();

    @Option(names = "--once", description = "End the session after its first message.")
    private boolean once;

    @Override
    public Integer call() {
        try (GatewayClient client = main.context().connect()) {
            JsonObject answer = client.request(options.request(options.message(), once));
            if (main.json()) {
                main.terminal().json(answer);
                return 0;
            }
            for (String name : answer.names()) {
                Object value = answer.value(name);
                main.terminal().println("%-13s %s".formatted(name, value == null ? "" : value));
            }
            main.terminal()
                    .note("next: " + main.context().command("attach") + (options.tty() ? " --tty " : " ")
                            + answer.text("task_id", ""));
        }
        return 0;
    }
}
