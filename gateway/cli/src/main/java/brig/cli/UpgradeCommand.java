package brig.cli;

import brig.cli.install.HandOver;
import brig.cli.install.Installation;
import brig.cli.install.ReleaseArchive;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.api.GatewayView;
import brig.protocol.api.SpawnerRequest;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig upgrade}.
 *
 * <p>Decision 0182.
 */
@Command(
        name = "upgrade",
        description = "Install another version from an archive, without ending a session.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Compares FILE with SHA256SUMS beside it, and every file in it with its own list. Then 'brig' is the new version, "
                    + "and your gateway becomes it in place: connections end with the position to resume from, agents go on. "
                    + "The version before stays, for programs that run from it; 'brig upgrade' with its archive goes back.",
            "",
            "Example:",
            "  brig upgrade brig-0.2.0-linux-amd64.tar.zst"
        })
final class UpgradeCommand implements Callable<Integer> {
    private static final Duration RESTART_MAX = Duration.ofSeconds(90);
    private static final long POLL_MS = 100;
    private static final long TRIAL_SECONDS_MAX = 60;

    @ParentCommand
    private Main main = new Main();

    @Option(names = "--without-archives", description = "Make no start-up archives.")
    private boolean withoutArchives;

    @Parameters(paramLabel = "FILE", description = "The archive, of this architecture.")
    private Path file = Path.of("");

    /**
     * What was done.
     *
     * @param version its folder's name
     * @param changed false if it was the current one
     * @param checked whether there was a SHA256SUMS beside the archive
     * @param restarted whether a gateway became the new version
     * @param workers that went on in the former version
     * @param removed older versions
     */
    private record Done(
            String version, boolean changed, boolean checked, boolean restarted, long workers, List<String> removed) {}

    @Override
    public Integer call() throws IOException {
        Installation installation = main.context().installation();
        ReleaseArchive archive = new ReleaseArchive(file);
        Done done;
        try (FileChannel _ = installation.lock()) {
            boolean checked = archive.check();
            Path former = installation.current();
            Path version = install(archive, installation);
            boolean changed = !version.equals(former);
            installation.switchTo(version);
            GatewayView before = changed ? handOver() : null;
            List<String> removed = installation.sweep(version, changed ? former : installation.home());
            done = new Done(
                    version.getFileName().toString(),
                    changed,
                    checked,
                    before != null,
                    before == null ? 0 : before.workers(),
                    removed);
        }
        if (main.json()) {
            main.terminal().json(done);
        } else {
            print(done);
        }
        return 0;
    }

    /** Unpacks and verifies it, tries it, and puts it beside the others. @return its folder */
    private Path install(ReleaseArchive archive, Installation installation) throws IOException {
        Path unpacked = Files.createTempDirectory(installation.root().resolve("versions"), ".new-");
        try {
            Path fresh = archive.unpackTo(unpacked);
            Path version = installation
                    .root()
                    .resolve("versions")
                    .resolve(fresh.getFileName().toString());
            if (!Files.exists(version)) {
                tryOut(fresh);
                if (!withoutArchives) {
                    SetupCommand.makeArchives(main, fresh);
                }
                Files.move(fresh, version, StandardCopyOption.ATOMIC_MOVE);
            }
            return version;
        } finally {
            Installation.delete(unpacked);
        }
    }

    private void tryOut(Path version) throws IOException {
        Process trial = new ProcessBuilder(version.resolve("bin/brig").toString(), "--version")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (trial.waitFor(TRIAL_SECONDS_MAX, TimeUnit.SECONDS) && trial.exitValue() == 0) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            trial.destroyForcibly();
        }
        throw new BrigException(
                ErrorCode.INVALID_FIELD, file + " does not run here: is it for this architecture and libc?");
    }

    /** Makes this user's gateway the new version. @return its state before; null if none runs */
    private @Nullable GatewayView handOver() {
        Paths paths = main.context().paths();
        GatewayView before;
        try (GatewayClient client = GatewayClient.connect(paths.spawner())) {
            before = client.request(new SpawnerRequest.Gateway(), GatewayView.class);
        } catch (IOException nobodyListens) {
            return null;
        }
        long since = System.nanoTime();
        try {
            HandOver.ask(paths.http());
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "the new version is installed, but the gateway cannot be asked to become it: " + Reason.of(e)
                            + "; end it and start it with '" + main.context().command("serve") + "'; agents go on");
        }
        awaitNext(paths.spawner(), since);
        return before;
    }

    /** One that is up for less time than has passed since the former one was asked is the next one. */
    private void awaitNext(Path socket, long since) {
        while (System.nanoTime() - since < RESTART_MAX.toNanos()) {
            if (isUpSince(socket, since)) {
                return;
            }
            pause();
        }
        throw new BrigException(
                ErrorCode.NOT_FOUND,
                "the new version is installed, but the gateway did not come back in " + RESTART_MAX.toSeconds()
                        + " s: start it with '" + main.context().command("serve") + "'; agents go on");
    }

    private static boolean isUpSince(Path socket, long since) {
        try (GatewayClient client = GatewayClient.connect(socket)) {
            long uptimeMs = client.request(new SpawnerRequest.Gateway(), GatewayView.class)
                    .uptimeMs();
            return uptimeMs < TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        } catch (IOException | BrigException notYet) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrigException(ErrorCode.INTERNAL, "interrupted");
        }
    }

    private void print(Done done) {
        if (!done.changed()) {
            main.terminal().println(done.version() + " is installed already");
            return;
        }
        main.terminal()
                .println("installed " + done.version()
                        + (done.checked() ? "" : ", checked by its own list alone: no SHA256SUMS was beside it"));
        if (done.restarted()) {
            main.terminal().println("the gateway is the new version");
        }
        if (done.workers() > 0) {
            main.terminal()
                    .println(done.workers()
                            + " workers go on with the worker-agent of the version before, which serves new"
                            + " sessions too. Nothing needs to be done; once 'brig sessions' lists none, end 'brig serve'"
                            + " and start it again, and all of it is the new version");
        }
    }
}
