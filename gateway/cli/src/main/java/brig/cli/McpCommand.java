package brig.cli;

import brig.gateway.config.Paths;
import brig.mcp.McpOptions;
import brig.mcp.McpServer;
import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig mcp}. */
@Command(
        name = "mcp",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "[install]",
        description =
                "Serve an agent that speaks the Model Context Protocol (MCP): it starts other agents behind the wall.",
        footer = {
            "",
            "The agent starts this command and talks to it over standard input and output. It uses the running",
            "gateway, or starts one that ends with the agent. Its tools are spawn, send, wait, status, diff, apply,",
            "list, answer, logs and terminate. A session works in a git worktree of the project; apply takes its",
            "changes over.",
            "",
            "Examples:",
            "  brig mcp install claude               write it into Claude Code's settings",
            "  brig mcp install codex --dry-run      only show what would be written",
            "  brig mcp install cursor --remove      take it back",
            "",
            "Other clients: command brig, argument mcp."
        })
final class McpCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        return serve(main);
    }

    /** Serves an agent until its end. */
    static int serve(Main main) {
        OutputStream out = main.terminal().protocol();
        String version = new Main.Version().getVersion()[0].replace("brig ", "");
        McpServer served = new McpServer(
                new McpOptions(Path.of("").toAbsolutePath(), version),
                new SpawnerGateway(main.context(), "mcp", true),
                out,
                main.terminal()::note);
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-mcp-end").unstarted(served::close));
        try (served) {
            served.run(System.in);
        }
        return 0;
    }

    @Command(
            description = "Write this command into the settings of an agent, and show what was written.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "The rest of the file stays as it is. A running client must be started again.",
                "",
                "Examples:",
                "  brig mcp install claude",
                "  brig mcp install opencode --project .",
                "  brig mcp install codex --remove"
            })
    int install(
            @Parameters(paramLabel = "CLIENT", description = "claude, codex, opencode or cursor.") String client,
            @Option(
                            names = "--project",
                            paramLabel = "FOLDER",
                            description = "Write into the settings of that project. Default: your own settings.")
                    @Nullable
                    Path project,
            @Option(names = "--remove", description = "Take it back.") boolean remove,
            @Option(names = "--dry-run", description = "Only show what would be written.") boolean dryRun)
            throws IOException {
        McpClient named = Arrays.stream(McpClient.values())
                .filter(one -> one.word().equals(client))
                .findFirst()
                .orElseThrow(() -> main.wrongUsage("CLIENT must be claude, codex, opencode or cursor"));
        String variable = System.getenv("HOME");
        Path home = Path.of(variable == null ? System.getProperty("user.home") : variable);
        McpSetting setting = McpSetting.open(
                named, project == null ? named.file(System.getenv(), home) : named.file(project.toRealPath()));
        return remove ? remove(setting, dryRun) : add(setting, dryRun);
    }

    private int add(McpSetting setting, boolean dryRun) throws IOException {
        McpSetting.Made made = setting.add(command());
        main.terminal().println(setting.file() + ":");
        main.terminal().lines(Objects.requireNonNullElse(setting.get(), ""));
        if (dryRun) {
            main.terminal().note("nothing was written");
            return 0;
        }
        if (made != null) {
            Path record = record(setting.file());
            Files.createDirectories(record.getParent());
            Files.write(record, Json.write(made));
        }
        setting.write(new McpSetting.Made(false, false));
        main.terminal().note("start the client again; '--remove' takes it back");
        return 0;
    }

    private int remove(McpSetting setting, boolean dryRun) throws IOException {
        Path record = record(setting.file());
        McpSetting.Made made = Files.exists(record)
                ? Json.read(Files.readAllBytes(record), McpSetting.Made.class)
                : new McpSetting.Made(false, false);
        String there = setting.get();
        if (there == null || !setting.remove(command(), made)) {
            main.terminal().note(setting.file() + " has no such setting");
            return 0;
        }
        main.terminal().println(setting.file() + ", removed:");
        main.terminal().lines(there);
        if (dryRun) {
            main.terminal().note("nothing was written");
            return 0;
        }
        setting.write(made);
        Files.deleteIfExists(record);
        return 0;
    }

    /** What was made for a setting is remembered, so that it goes with it. */
    private static Path record(Path file) {
        return Paths.xdg("XDG_STATE_HOME", ".local/state")
                .resolve("brig/mcp")
                .resolve(Ids.hashToken(file.toAbsolutePath().toString()).substring(0, 32) + ".json");
    }

    private List<String> command() {
        CommandContext context = main.context();
        List<String> command = new ArrayList<>(List.of(context.program().toString()));
        command.addAll(context.options());
        command.add("mcp");
        return command;
    }
}
