package brig.loadtests.whole;

import brig.loadtests.engine.Children;
import brig.loadtests.product.Brig;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** {@code brig-pace read}: readers of many streams, in C, so that they cost little beside what is measured. */
public final class PaceReaders implements Disturbance.Client {
    private static final String READ = "rchar: ";

    private final Process process;
    private final BufferedReader events;

    private PaceReaders(Process process) {
        this.process = process;
        events = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The program, also the agent. */
    public static Path program() {
        return Brig.home().resolve("lib/load-tests/brig-pace");
    }

    /**
     * Opens the streams.
     *
     * @param readers of each session
     */
    public static PaceReaders start(Path socket, List<String> sessions, int readers, long warmUpMs, long measuredMs)
            throws IOException {
        Process process = Children.start(new ProcessBuilder(
                        program().toString(),
                        "read",
                        socket.toString(),
                        String.valueOf(readers),
                        String.valueOf(warmUpMs),
                        String.valueOf(measuredMs))
                .redirectError(ProcessBuilder.Redirect.INHERIT));
        try (var ids = process.outputWriter(StandardCharsets.UTF_8)) {
            ids.write(String.join("\n", sessions) + "\n");
        }
        return new PaceReaders(process);
    }

    /** Reads up to such an event. */
    public <E extends PaceEvent> E await(Class<E> wanted) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            PaceEvent event = Json.read(line.getBytes(StandardCharsets.UTF_8), PaceEvent.class);
            if (wanted.isInstance(event)) {
                return wanted.cast(event);
            }
        }
        throw new IOException("brig-pace ended before its time");
    }

    @Override
    public long readBytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc", String.valueOf(process.pid()), "io"))) {
            return lines.filter(line -> line.startsWith(READ))
                    .mapToLong(line -> Long.parseLong(line.substring(READ.length())))
                    .sum();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
