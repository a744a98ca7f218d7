package brig.gateway.deploy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Programs that do what a test says. One whose command has the key of a script ends with that; others run on. */
public final class FakeProcesses implements Processes {
    /** A program that was started. */
    public final class Started implements Running {
        public final String command;
        public final @Nullable Input input;
        public final Listener listener;
        boolean ended;
        public boolean killed;

        Started(String command, @Nullable Input input, Listener listener) {
            this.command = command;
            this.input = input;
            this.listener = listener;
        }

        /** It ends by itself. */
        public void exit(int code, String out, String errors) {
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

    public final List<Started> started = new ArrayList<>();
    private final Map<String, Script> scripts = new LinkedHashMap<>();
    private final ArrayDeque<Runnable> due = new ArrayDeque<>();

    public static Tail tail(String text) {
        return tail(text.getBytes(StandardCharsets.UTF_8));
    }

    public static Tail tail(byte[] bytes) {
        Tail.Collector collector = new Tail.Collector();
        collector.add(bytes, bytes.length);
        return collector.tail();
    }

    /** From now on a program whose command contains that ends so; the newest script counts. */
    public void script(String part, int code, String out, String errors) {
        scripts.remove(part);
        scripts.put(part, new Script(code, out, errors));
    }

    /** Such programs run on from now on. */
    public void hang(String part) {
        scripts.remove(part);
    }

    @Override
    public Running start(List<String> command, @Nullable Input input, Listener listener) {
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
    public void settle() {
        for (Runnable next = due.poll(); next != null; next = due.poll()) {
            next.run();
        }
    }

    /** The newest program whose command contains that. */
    public Started last(String part) {
        return started.reversed().stream()
                .filter(one -> one.command.contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing with " + part + " was started"));
    }

    public long count(String part) {
        return started.stream().filter(one -> one.command.contains(part)).count();
    }
}
