package brig.gateway.provider.http;

import brig.gateway.deploy.Processes;
import brig.gateway.deploy.Tail;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A program in a sandbox, with a virtual thread that waits for it. Thread-safe. */
public final class RemoteProgram implements Processes.Running {
    /** As {@code ssh} ends where its connection does. */
    private static final int LOST = 255;

    /** Runs it to its end. May block. */
    @FunctionalInterface
    public interface Run {
        /** @return the exit code; null if the connection ended before the program did */
        @Nullable
        Integer of(RemoteProgram program) throws IOException;
    }

    private final Tail.Collector out = new Tail.Collector();
    private final Tail.Collector errors = new Tail.Collector();
    private final Processes.Listener listener;
    private final Executor loop;
    private @Nullable Runnable stop;
    private boolean ended;
    private volatile boolean started;

    private RemoteProgram(Processes.Listener listener, Executor loop) {
        this.listener = listener;
        this.loop = loop;
    }

    public static RemoteProgram start(Run run, Processes.Listener listener, Executor loop) {
        RemoteProgram program = new RemoteProgram(listener, loop);
        Thread.startVirtualThread(() -> program.run(run));
        return program;
    }

    private void run(Run run) {
        int code;
        try {
            Integer exit = run.of(this);
            code = exit == null ? unfinished("the connection to the sandbox ended") : exit;
        } catch (IOException e) {
            code = unfinished(Reason.withFile(e));
        }
        Processes.Ended end = new Processes.Ended(code, out.tail(), errors.tail());
        loop.execute(() -> listener.handleEnded(end));
    }

    private int unfinished(String why) {
        addError(why.getBytes(StandardCharsets.UTF_8));
        return started ? LOST : Processes.NOT_STARTED;
    }

    /** How it can be ended from here on. */
    public void handleStep(Runnable how) {
        boolean late;
        synchronized (this) {
            stop = how;
            late = ended;
        }
        if (late) {
            how.run();
        }
    }

    /** It may have begun. */
    public void handleStarted() {
        started = true;
    }

    public void handleSent(long bytes) {
        loop.execute(() -> listener.handleSent(bytes));
    }

    public void addOutput(byte[] bytes) {
        out.add(bytes, bytes.length);
    }

    public void addError(byte[] bytes) {
        errors.add(bytes, bytes.length);
    }

    @Override
    public void end() {
        Runnable how;
        synchronized (this) {
            ended = true;
            how = stop;
        }
        if (how != null) {
            how.run();
        }
    }

    @Override
    public Tail errors() {
        return errors.tail();
    }
}
