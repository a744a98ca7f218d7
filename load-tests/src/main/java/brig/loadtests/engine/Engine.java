package brig.loadtests.engine;

import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running {@code brig-load}. It reports events as lines of JSON and takes commands as lines. If it is silent for too
 * long it is ended, so that every run ends.
 */
public final class Engine implements AutoCloseable {
    private final Process process;
    private final Path errors;
    private final BufferedReader events;
    private final Consumer<Progress> listener;

    private Engine(Process process, Path errors, Consumer<Progress> listener) {
        this.process = process;
        this.errors = errors;
        this.listener = listener;
        events = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Once a second while frames flow.
     *
     * @param residentBytes of all server processes together
     */
    public record Progress(long timeMs, long delivered, double framesPerSecond, long residentBytes) {
        static Progress of(EngineEvent.Progress event) {
            return new Progress(
                    System.currentTimeMillis(),
                    event.delivered(),
                    event.perSecond(),
                    event.rssBytes().stream().mapToLong(Long::longValue).sum());
        }
    }

    /**
     * Starts it.
     *
     * @param folder     for its error output
     * @param secondsMax it is ended if it runs longer
     */
    public static Engine start(List<String> command, Path folder, long secondsMax, Consumer<Progress> listener)
            throws IOException {
        Path errors = folder.resolve("brig-load.log");
        Process process = Children.start(new ProcessBuilder(command).redirectError(errors.toFile()));
        Thread.ofPlatform().daemon().start(() -> endWhenLate(process, secondsMax));
        return new Engine(process, errors, listener);
    }

    private static void endWhenLate(Process process, long secondsMax) {
        try {
            if (!process.waitFor(secondsMax, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads until such an event. @throws IOException if it ends before, with its error output */
    public <E extends EngineEvent> E await(Class<E> wanted) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            EngineEvent event = Json.read(line.getBytes(StandardCharsets.UTF_8), EngineEvent.class);
            if (wanted.isInstance(event)) {
                return wanted.cast(event);
            }
            switch (event) {
                case EngineEvent.Progress progress -> listener.accept(Progress.of(progress));
                case EngineEvent.Result result ->
                    throw new IOException("the generator gave up: "
                            + Objects.requireNonNullElse(result.fault(), "it did not say why"));
                case EngineEvent.Ready _, EngineEvent.Connected _, EngineEvent.Idle _ -> {}
            }
        }
        String words = Files.readString(errors).strip();
        String name = wanted.getSimpleName().toLowerCase(Locale.ROOT);
        throw new IOException("the generator ended before '" + name + "'" + (words.isEmpty() ? "" : ": " + words));
    }

    /** Reads to the end. */
    public EngineResult result() throws IOException {
        return EngineResult.of(await(EngineEvent.Result.class));
    }

    public void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
