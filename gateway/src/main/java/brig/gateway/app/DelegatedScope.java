package brig.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The systemd scope of the worker-agent, delegated so that it may create control groups. One scope serves all workers:
 * a scope for each would cost every spawn a round trip to systemd. systemd-run creates the scope and then becomes the
 * command, so the started process is the worker-agent.
 *
 * <p>Decision 0009.
 *
 * @param bootedBySystemd exists if systemd is process 1, sd_booted(3)
 * @param systemdRun the program
 * @param root whether to ask the system's systemd; else the user's own
 */
record DelegatedScope(Path bootedBySystemd, Path systemdRun, boolean root) {
    private static final Logger log = LoggerFactory.getLogger(DelegatedScope.class);

    private static final long TRIAL_MS = 5_000;
    private static final int COMPLAINT_BYTES = 400;

    static DelegatedScope ofHost(boolean root) {
        return new DelegatedScope(Path.of("/run/systemd/system"), Path.of("systemd-run"), root);
    }

    /**
     * The command prefix that runs a command in such a scope. Empty if a trial fails; the worker-agent then uses the
     * next best mechanism, which doctor reports. Blocks during the trial.
     */
    List<String> prefix() {
        if (!Files.isDirectory(bootedBySystemd)) {
            return List.of();
        }
        List<String> prefix = command();
        List<String> trial = new ArrayList<>(prefix);
        trial.add("true");
        try {
            Process process =
                    new ProcessBuilder(trial).redirectErrorStream(true).start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(TRIAL_MS, TimeUnit.MILLISECONDS);
            if (ended && process.exitValue() == 0) {
                return prefix;
            }
            process.destroyForcibly();
            String why = ended
                    ? new String(process.getInputStream().readNBytes(COMPLAINT_BYTES), UTF_8)
                    : "no answer in " + TRIAL_MS + " ms";
            log.warn("no systemd scope for the worker-agent: {}", why.trim());
        } catch (IOException e) {
            log.warn("no systemd scope for the worker-agent: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return List.of();
    }

    /**
     * TasksMax: systemd would limit all workers and the worker-agent together, so one captain's workers could keep it
     * from starting threads; each worker has its own limit. --collect: a failed scope is forgotten instead of listed
     * for ever.
     */
    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                systemdRun.toString(),
                "--scope",
                "--quiet",
                "--collect",
                "--property=Delegate=yes",
                "--property=TasksMax=infinity"));
        if (!root) {
            command.add("--user");
        }
        return command;
    }
}
