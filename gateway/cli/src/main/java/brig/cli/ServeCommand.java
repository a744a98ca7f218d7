package brig.cli;

import brig.cli.install.Installation;
import brig.cli.install.Successor;
import brig.gateway.app.Gateway;
import brig.gateway.config.Config;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.HelloAnswer;
import brig.protocol.log.LineEncoder;
import brig.protocol.log.LogOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig serve}. */
@Command(
        name = "serve",
        description = "Start the gateway and its worker-agent, and run until stopped.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Ctrl-C or SIGTERM ends all workers, then the gateway. After a crash the workers continue, and the next",
            "'brig serve' resumes their streams where they were. 'brig upgrade' makes it the new version, in place.",
            "The page and the HTTP interface are at http://127.0.0.1:7070; http.host and http.port in the settings change that.",
            "",
            "Examples:",
            "  brig serve --config my.json",
            "  brig worker-agent --runtime-dir /run/brig-worker-agent --gateway-user brig",
            "  brig serve --worker-agent /run/brig-worker-agent",
            "  brig serve --config cluster.json --unsafe-sync"
        })
final class ServeCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(
            names = "--worker-agent",
            paramLabel = "DIR",
            description =
                    "The runtime folder of a worker-agent that runs as a separate service. No worker-agent is started then, "
                            + "and the workers continue when the gateway ends.")
    private @Nullable Path workerAgent;

    @Option(
            names = "--unsafe-sync",
            description =
                    "Accept NATS servers that may lose what they acknowledged when all lose power (cluster.unsafeSync).")
    private boolean unsafeSync;

    @Override
    public Integer call() {
        return serve(main, workerAgent, unsafeSync);
    }

    /** Serves until stopped. */
    static int serve(Main main, @Nullable Path workerAgent) {
        return serve(main, workerAgent, false);
    }

    private static int serve(Main main, @Nullable Path workerAgent, boolean unsafeSync) {
        CommandContext context = main.context();
        Paths paths = workerAgent == null ? context.paths() : context.paths().withWorkerAgent(workerAgent);
        Config config =
                unsafeSync ? context.config().with(context.config().cluster().unsafely()) : context.config();
        System.setProperty(
                LineEncoder.FORMAT_PROPERTY, config.log().format() == Config.Log.Format.JSON ? "json" : "text");
        Gateway gateway = new Gateway(config, paths, context.configFile());
        Runnable end = () -> {
            gateway.stop();
            LogOutput.flush();
        };
        Thread atExit = Thread.ofPlatform().name("brig-stop").unstarted(end);
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            gateway.start();
        } catch (BrigException e) {
            gateway.leaveWorkers();
            throw e;
        }
        String warning = gateway.warning();
        if (warning != null) {
            main.terminal().note(warning + " (RECORD_LOST)");
        }
        String brig = context.program() + context.option();
        main.terminal().lines("""
                brig is up
                  http            %s (token: brig token) and %s
                  spawner socket  %s
                  session sockets %s/<task_id>/io.sock

                try next:
                  %s run shell -- 'echo hi; id; ls /'
                  %s run demo-writer
                  %s open
                  %s doctor""".formatted(
                        gateway.url(), paths.http(), paths.spawner(), paths.agents(), brig, brig, brig, brig));
        sayFaults(main, paths.spawner());
        Installation installation = Installation.of(paths.home());
        if (gateway.awaitStopWanted()
                && installation != null
                && installation.isUpgraded()
                && Runtime.getRuntime().removeShutdownHook(atExit)) {
            end.run();
            Successor.become(installation.command(), main.words());
        }
        return 0;
    }

    /** Prints the unusable files of the operator, which would otherwise be noticed only when a spawn is refused. */
    private static void sayFaults(Main main, Path spawner) {
        try (GatewayClient client = GatewayClient.connect(spawner)) {
            client.request(new SpawnerRequest.Agents(), HelloAnswer.class)
                    .faults()
                    .forEach(main.terminal()::note);
        } catch (IOException | BrigException e) {
            main.terminal().note("what can be run here is not known yet: " + e.getMessage());
        }
    }
}
