package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One command on the other machine: a session of the ssh master, whose leader runs {@code command.sh}. Its outputs
 * stand between marks, so that a login's greeting is not part of them, and its end is known while something that it
 * left in the background still holds them open.
 */
final class RemoteCommand {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteCommand.class);
    private static final int KILL_AFTER_MS = 2_000;
    private static final int GONE_AFTER_MS = 5_000;
    private static final int LINE_MAX = 256;
    private static final int RETURNED_BYTES_MAX = 4096;
    private static final Pattern STARTED = Pattern.compile("([0-9]{1,9})(?: (/dev/pts/[0-9]{1,6}|not a tty))?");
    private static final Map<Integer, String> SIGNALS =
            Map.of(1, "HUP", 2, "INT", 3, "QUIT", 9, "KILL", 10, "USR1", 12, "USR2", 15, "TERM");

    /**
     * What is to run; all texts are byte strings.
     *
     * @param folder on the other machine
     * @param variables NAME=VALUE
     * @param words the program and its arguments
     * @param returned the file to bring back, or empty
     * @param rows of the terminal, 0 for no terminal
     */
    record Plan(String folder, List<String> variables, List<String> words, String returned, int rows, int columns) {
        boolean tty() {
            return rows > 0;
        }

        /** @param before the words that enter the masks, or empty */
        String script(String before, String mark) {
            List<String> arguments =
                    new ArrayList<>(List.of(mark, folder, returned, Integer.toString(rows), Integer.toString(columns)));
            arguments.addAll(variables);
            arguments.add("--");
            arguments.addAll(words);
            return RemoteScript.shell(before, RemoteScript.COMMAND, arguments);
        }
    }

    /**
     * @param started whether the command began
     * @param code its exit code, or -1 if that is not known
     * @param returned the content of the file to bring back, or empty; a byte string
     */
    record End(boolean started, int code, String returned) {}

    private final Keeper keeper;
    private final Process process;
    private final String mark;
    private final boolean tty;

    private final CompletableFuture<@Nullable Void> started = new CompletableFuture<>();
    /** Completes if its exit code is known. */
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    // Guarded by this.
    private long group;
    private String terminal = "";
    private boolean cancelled;
    private int lastSignal;

    private RemoteCommand(Keeper keeper, Process process, String mark, boolean tty) {
        this.keeper = keeper;
        this.process = process;
        this.mark = mark;
        this.tty = tty;
    }

    /** @param before the words that enter the masks, or empty */
    static RemoteCommand start(SshMaster master, Keeper keeper, Plan plan, String before) throws IOException {
        String mark = Keeper.mark();
        return new RemoteCommand(keeper, master.start(plan.tty(), plan.script(before, mark)), mark, plan.tty());
    }

    /** Passes its outputs on until it has ended. */
    End run(OutputStream output, OutputStream error) throws InterruptedException {
        Future<?> plain = Pumps.submit(() -> {
            if (tty) Pumps.drain(process.getErrorStream());
            else passOutput(output);
        });
        End[] end = {new End(false, -1, "")};
        Future<?> marked = Pumps.submit(() -> end[0] = passMarked(tty ? output : error));
        try {
            marked.get();
            // What was left in the background may hold the error output of ssh, which nobody reads any more.
            if (tty) process.destroy();
            plain.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            cancel();
            throw e;
        } finally {
            started.completeExceptionally(new IOException("the command has ended"));
            handleEnded(end[0]);
        }
        return end[0];
    }

    private void passOutput(OutputStream output) {
        MarkedStream stream = new MarkedStream(process.getInputStream(), mark);
        try {
            if (!stream.passToMark(OutputStream.nullOutputStream())) return;
            stream.line(LINE_MAX);
            stream.passToMark(output);
        } catch (IOException e) {
            handleBroken(e);
        }
    }

    private End passMarked(OutputStream to) {
        MarkedStream stream = new MarkedStream(tty ? process.getInputStream() : process.getErrorStream(), mark);
        boolean started = false;
        try {
            if (!stream.passToMark(OutputStream.nullOutputStream())) return new End(false, -1, "");
            handleStarted(stream.line(LINE_MAX));
            started = true;
            if (!stream.passToMark(to)) return new End(true, -1, "");
            int code = Integer.parseInt(stream.line(LINE_MAX));
            ByteArrayOutputStream returned = new ByteArrayOutputStream();
            stream.passToMark(new Bounded(returned));
            return new End(true, code & 0xff, returned.toString(ISO_8859_1));
        } catch (IOException | NumberFormatException e) {
            handleBroken(e);
            return new End(started, -1, "");
        }
    }

    private void handleEnded(End end) {
        if (end.code() >= 0) ended.complete(null);
        synchronized (this) {
            // One that has yet to say which process it is can only be ended after it did.
            if (group > 0 || !cancelled) process.destroy();
            if (group > 0 && !cancelled) keeper.ended(group);
        }
    }

    /** The caller is gone, or what came is not from the script. */
    private void handleBroken(Exception e) {
        LOG.debug("a remote command is given up: {}", e.toString());
        cancel();
    }

    private void handleStarted(String line) throws IOException {
        var told = STARTED.matcher(line);
        if (!told.matches()) throw new IOException("a command that began with what is no process");
        boolean late;
        synchronized (this) {
            group = Long.parseLong(told.group(1));
            String name = told.group(2);
            terminal = name != null && name.startsWith("/") ? name : "";
            late = cancelled;
        }
        if (group() <= 1) throw new IOException("a command that began as no process of a user");
        keeper.started(group());
        int early = early();
        if (late) endGroup(group());
        else if (early > 0) signal(early);
        started.complete(null);
    }

    private synchronized int early() {
        return lastSignal;
    }

    /** Completes when the command began, or will never. */
    CompletableFuture<@Nullable Void> whenStarted() {
        return started.copy();
    }

    private synchronized long group() {
        return group;
    }

    /** Hands input over; returns when the machine took it. */
    void input(byte[] bytes) throws IOException {
        process.getOutputStream().write(bytes);
        process.getOutputStream().flush();
    }

    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    void signal(int number) {
        String name = SIGNALS.get(number);
        long to;
        synchronized (this) {
            lastSignal = number;
            to = group;
        }
        if (name != null && to > 0) keeper.signal(to, name);
    }

    /** The signal that a shell's exit code tells of, if the command was sent it; else 0. */
    synchronized int signalOf(int code) {
        return lastSignal > 0 && code == 128 + lastSignal ? lastSignal : 0;
    }

    synchronized void resize(int rows, int columns) {
        if (!terminal.isEmpty() && rows > 0 && columns > 0) keeper.resize(terminal, rows, columns);
    }

    /** Ends it, because nobody waits for it any more. */
    void cancel() {
        long to;
        synchronized (this) {
            if (cancelled) return;
            cancelled = true;
            to = group;
        }
        if (to > 0) endGroup(to);
        Pumps.start(() -> {
            if (!waitFor(GONE_AFTER_MS)) process.destroyForcibly();
        });
    }

    /** That ssh has ended says nothing of what it ran. */
    private void endGroup(long to) {
        keeper.signal(to, "TERM");
        var unused = ended.orTimeout(KILL_AFTER_MS, TimeUnit.MILLISECONDS).whenComplete((done, late) -> {
            if (late != null) keeper.signal(to, "KILL");
            keeper.ended(to);
        });
    }

    private boolean waitFor(int ms) {
        try {
            return process.waitFor(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Keeps the beginning. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream to;

        Bounded(ByteArrayOutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int b) {
            if (to.size() < RETURNED_BYTES_MAX) to.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            to.write(bytes, offset, Math.min(length, RETURNED_BYTES_MAX - to.size()));
        }
    }

    /** What ssh itself said is not told: it may name files and hosts of this side. */
    static @Nullable String lost(End end, String machine) {
        if (end.code() >= 0) return null;
        return end.started()
                ? "the link to " + machine + " was lost while the command ran"
                : "the command did not start: " + machine + " is out of reach";
    }
}
