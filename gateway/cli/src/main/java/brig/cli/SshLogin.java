package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.Reason;
import brig.protocol.VisibleText;
import brig.protocol.api.HostSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Logs in to a host with the system's ssh, to see whether the gateway will be able to. */
final class SshLogin {
    private static final int STDIN = 0;
    private static final int SAID_MAX = 64 * 1024;
    private static final int SHOWN_MAX = 400;
    private static final long QUIET_SECONDS = 60;

    private final HostSettings settings;
    private final Terminal terminal;

    SshLogin(HostSettings settings, Terminal terminal) {
        this.settings = settings;
        this.terminal = terminal;
    }

    /** No master of the person's own is used, since the gateway will use none. */
    private List<String> command(List<String> more) {
        List<String> command =
                new ArrayList<>(List.of("ssh", "-T", "-o", "ControlMaster=no", "-o", "ControlPath=none"));
        command.addAll(List.of("-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none"));
        command.addAll(more);
        command.addAll(settings.options());
        command.addAll(List.of("-o", "ConnectTimeout=15", "--", settings.ssh(), "true"));
        return command;
    }

    /** Whether a person can answer. */
    boolean canAsk() {
        return Terminal.isTerminal(STDIN) && terminal.isLive();
    }

    /** Without a question. @return what ssh says if it does not log in, else null */
    @Nullable
    String tryQuietly() {
        try {
            ProcessBuilder builder = new ProcessBuilder(command(List.of("-o", "BatchMode=yes")));
            builder.redirectErrorStream(true);
            Process ssh = builder.start();
            ssh.getOutputStream().close();
            Thread watch = Thread.startVirtualThread(() -> end(ssh));
            String said = said(ssh.getInputStream());
            int code = ssh.waitFor();
            watch.interrupt();
            return code == 0 ? null : said.isEmpty() ? "it ended with " + code : said;
        } catch (IOException e) {
            return "ssh cannot be started: " + Reason.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void end(Process ssh) {
        try {
            if (!ssh.waitFor(QUIET_SECONDS, TimeUnit.SECONDS)) {
                ssh.destroyForcibly();
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last of it, harmless. */
    private static String said(InputStream from) throws IOException {
        byte[] bytes = from.readNBytes(SAID_MAX);
        from.transferTo(OutputStream.nullOutputStream());
        String text = new String(bytes, StandardCharsets.UTF_8).strip();
        return VisibleText.of(text.length() > SHOWN_MAX ? text.substring(text.length() - SHOWN_MAX) : text);
    }

    /** On the person's terminal, where ssh asks what it must. */
    boolean askPerson() {
        try {
            Process ssh = new ProcessBuilder(command(List.of()))
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return ssh.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
