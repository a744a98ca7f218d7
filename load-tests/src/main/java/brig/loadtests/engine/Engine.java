package brig.loadtests.engine;

import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running {@code brig-load}. It tells events as lines of JSON and is told what to do in lines. One that says
 * nothing for too long is ended, so that a run always ends.
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
     * @param residentBytes that of all server processes together
     */
    public record Progress(long timeMs, long delivered, double framesPerSecond, long residentBytes) {
        static Progress of(Fields event) {
            Numbers numbers = new Numbers(event);
            return new Progress(
                    System.currentTimeMillis(), (long) numbers.get("delivered"), numbers.get("per_second"), (long)
                            numbers.sum("rss_bytes"));
        }
    }

    /**
     * Starts it.
     *
     * @param folder     where its complaints are kept
     * @param secondsMax it is ended where it runs longer
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

    /** Reads until it tells this event. @throws IOException where it ends before, with its complaint */
    public Fields await(String wanted) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            Fields event = new Fields(Json.parseObject(line.getBytes(StandardCharsets.UTF_8)));
            String name = event.requiredText("event");
            if (name.equals(wanted)) {
                return event;
            }
            if (name.equals("progress")) {
                listener.accept(Progress.of(event));
            } else if (name.equals("result")) {
                throw new IOException("the generator gave up: " + event.text("fault", "it did not say why"));
            }
        }
        String words = Files.readString(errors).strip();
        throw new IOException("the generator ended before '" + wanted + "'" + (words.isEmpty() ? "" : ": " + words));
    }

    /** Reads to the end. */
    public EngineResult result() throws IOException {
        return EngineResult.of(await("result"));
    }

    public void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Numbers of an event, which may be whole or not; absent and null ones are 0. */
    record Numbers(Fields fields) {
        double get(String name) {
            return number(fields.asMap().get(name));
        }

        double sum(String name) {
            return fields.asMap().get(name) instanceof List<?> list
                    ? list.stream().mapToDouble(Numbers::number).sum()
                    : get(name);
        }

        private static double number(@Nullable Object value) {
            return value instanceof Number number ? number.doubleValue() : 0;
        }

        /** The object of that name, or null. */
        @SuppressWarnings("unchecked")
        @Nullable
        Fields inner(String name) {
            return fields.asMap().get(name) instanceof Map<?, ?> map
                    ? new Fields((Map<String, @Nullable Object>) map)
                    : null;
        }
    }
}
