package brig.gateway.deploy;

import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Programs of this host, each with three virtual threads. */
public final class SystemProcesses implements Processes {
    private static final int CHUNK = 64 * 1024;
    static final long TERM_MS = 3_000;

    private final Executor loop;

    /** @param loop takes what is to be told on the event loop */
    public SystemProcesses(Executor loop) {
        this.loop = loop;
    }

    @Override
    public Running start(List<String> command, @Nullable Input input, Listener listener) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            // The words of ssh are recognised, so they must be those of the C locale.
            builder.environment().put("LC_ALL", "C");
            builder.environment().remove("SSH_ASKPASS");
            builder.environment().put("SSH_ASKPASS_REQUIRE", "never");
            if (input == null) {
                builder.redirectInput(Path.of("/dev/null").toFile());
            }
            OneProcess process = new OneProcess(builder.start());
            process.watch(input, listener);
            return process;
        } catch (IOException e) {
            Tail why = new Tail(
                    (command.getFirst() + " cannot be started: " + Reason.of(e)).getBytes(StandardCharsets.UTF_8),
                    false);
            loop.execute(() -> listener.handleEnded(new Ended(NOT_STARTED, Tail.NONE, why)));
            return new Nothing(why);
        }
    }

    /** What could not be started. */
    private record Nothing(Tail errors) implements Running {
        @Override
        public void end() {}
    }

    /** A process and its threads. */
    private final class OneProcess implements Running {
        private final Process process;
        private final Tail.Collector out = new Tail.Collector();
        private final Tail.Collector errors = new Tail.Collector();

        OneProcess(Process process) {
            this.process = process;
        }

        void watch(@Nullable Input input, Listener listener) {
            Thread reading = Thread.startVirtualThread(() -> out.addAll(process.getInputStream()));
            Thread erring = Thread.startVirtualThread(() -> errors.addAll(process.getErrorStream()));
            if (input != null) {
                Thread.startVirtualThread(() -> send(input, listener));
            }
            Thread.startVirtualThread(() -> {
                try {
                    int code = process.waitFor();
                    // A grandchild may hold the pipes; what it still says is not waited for.
                    reading.join(TERM_MS);
                    erring.join(TERM_MS);
                    loop.execute(() -> listener.handleEnded(new Ended(code, out.tail(), errors.tail())));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        private void send(Input input, Listener listener) {
            byte[] chunk = new byte[CHUNK];
            long sent = 0;
            try (InputStream from = input.open();
                    OutputStream to = process.getOutputStream()) {
                for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                    to.write(chunk, 0, read);
                    sent += read;
                    long soFar = sent;
                    loop.execute(() -> listener.handleSent(soFar));
                }
            } catch (IOException brokenPipe) {
                // The program's own end says why.
                return;
            }
        }

        @Override
        public void end() {
            process.destroy();
            Thread.startVirtualThread(() -> {
                try {
                    if (!process.waitFor(TERM_MS, TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @Override
        public Tail errors() {
            return errors.tail();
        }
    }
}
