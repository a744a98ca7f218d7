package brig.gateway.host;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Programs that do what a test says. One whose command has the key of a script ends with that; others run on. */
final class FakeProcesses implements Processes {
    /** A program that was started. */
    final class Started implements Running {
        final String command;
        final @Nullable Path input;
        final Listener listener;
        boolean ended;
        boolean killed;

        Started(String command, @Nullable Path input, Listener listener) {
            this.command = command;
            this.input = input;
            this.listener = listener;
        }

        /** It ends by itself. */
        void exit(int code, String out, String errors) {
            if (!ended) {
                ended = true;
                listener.handleEnded(new Ended(code, tail(out), tail(errors)));
            }
        }

        @Override
        public void end() {
            killed = true;
            due.add(() -> exit(143, "", ""));
        }

        @Override
        public Tail errors() {
            return Tail.NONE;
        }
    }

    private record Script(int code, String out, String errors) {}

    final List<Started> started = new ArrayList<>();
    private final Map<String, Script> scripts = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> due = new ArrayDeque<>();

    static Tail tail(String text) {
        return tail(text.getBytes(StandardCharsets.UTF_8));
    }

    static Tail tail(byte[] bytes) {
        Tail.Collector collector = new Tail.Collector();
        collector.add(bytes, bytes.length);
        return collector.tail();
    }

    /** From now on a program whose command contains that ends so; the newest script counts. */
    void script(String part, int code, String out, String errors) {
        scripts.remove(part);
        scripts.put(part, new Script(code, out, errors));
    }

    /** Such programs run on from now on. */
    void hang(String part) {
        scripts.remove(part);
    }

    @Override
    public Running start(List<String> command, @Nullable Path input, Listener listener) {
        Started one = new Started(String.join(" ", command), input, listener);
        started.add(one);
        scripts.entrySet().stream()
                .filter(script -> one.command.contains(script.getKey()))
                .reduce((earlier, later) -> later)
                .map(Map.Entry::getValue)
                .ifPresent(script -> due.add(() -> one.exit(script.code(), script.out(), script.errors())));
        return one;
    }

    /** Lets all that is due happen. */
    void settle() {
        for (Runnable next = due.poll(); next != null; next = due.poll()) {
            next.run();
        }
    }

    /** The newest program whose command contains that. */
    Started last(String part) {
        return started.reversed().stream()
                .filter(one -> one.command.contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing with " + part + " was started"));
    }

    long count(String part) {
        return started.stream().filter(one -> one.command.contains(part)).count();
    }
}
