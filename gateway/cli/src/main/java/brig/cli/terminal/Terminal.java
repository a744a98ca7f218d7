package brig.cli.terminal;

import brig.cli.terminal.StyledLine.Colour;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.VisibleText;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.refusal.NotReady;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All output of the CLI: data on standard output, everything else on standard error, colour only for people. There is
 * no other way to print ({@code ArchitectureTest}), so these rules hold for every line:
 * <ul>
 * <li>Brig's own output consists of {@link StyledLine}s. Names, paths and reasons are escaped in them, in files and
 *   pipes too.
 * <li>Output of an agent or a program is {@code content}. A terminal gets its text and colours ({@link ContentFilter});
 *   the colours end when the source changes and when this process ends, however it ends. A file or a pipe gets every
 *   byte. Each of the two streams is treated separately.
 * </ul>
 *
 * <p>Decision 0111.
 */
public final class Terminal {
    private static final int TYPE_BITS = 0170000;
    private static final int CHARACTER_DEVICE = 0020000;
    /** The major number of /dev/null, /dev/full and similar devices. */
    private static final int MEMORY_DEVICES = 1;

    private static final String SELF = "brig";

    private final Screen out;
    private final Screen err;

    Terminal(Screen out, Screen err) {
        this.out = out;
        this.err = err;
    }

    /** A terminal that discards everything. */
    public static Terminal ofNobody() {
        Screen none = new Screen(OutputStream.nullOutputStream(), false, false);
        return new Terminal(none, none);
    }

    /** The terminal of this process. Redirects all other output to it, such as the log and stack traces. */
    public static Terminal ofProcess() {
        Terminal terminal = new Terminal(screen(1, FileDescriptor.out), screen(2, FileDescriptor.err));
        System.setOut(new PrintStream(terminal.passing(SELF, false), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(terminal.passing(SELF, true), true, StandardCharsets.UTF_8));
        if (terminal.out.isTerminal() || terminal.err.isTerminal()) {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("brig-colours").unstarted(terminal::finish));
        }
        return terminal;
    }

    private static Screen screen(int number, FileDescriptor descriptor) {
        boolean terminal = isTerminal(number);
        boolean coloured = terminal && System.getenv("NO_COLOR") == null && !isDumb();
        return new Screen(new FileOutputStream(descriptor), terminal, coloured);
    }

    /** Whether the terminal says that it only prints lines. */
    public static boolean isDumb() {
        return "dumb".equals(System.getenv("TERM"));
    }

    /**
     * Whether that descriptor of this process is a terminal. Java's Console only reports input and output together, and
     * device names differ in containers: so everything but files, pipes and /dev/null counts as one.
     */
    public static boolean isTerminal(int descriptor) {
        try {
            Map<String, Object> is = Files.readAttributes(Path.of("/proc/self/fd/" + descriptor), "unix:mode,rdev");
            return is.get("mode") instanceof Integer mode
                    && (mode & TYPE_BITS) == CHARACTER_DEVICE
                    && is.get("rdev") instanceof Long device
                    && (device >> 8 & 0xfff) != MEMORY_DEVICES;
        } catch (IOException closed) {
            return false;
        }
    }

    /** Whether this process may read its terminal; the kernel stops a process in the background that does. */
    public static boolean isInForeground() {
        try {
            // The program's name in brackets may contain anything. Behind it: state, parent, process group, session,
            // terminal, the terminal's process group (proc_pid_stat(5)).
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[2].equals(fields[5]);
        } catch (IOException noProc) {
            return false;
        }
    }

    /** Whether standard output is a terminal. */
    public boolean isLive() {
        return out.isTerminal();
    }

    /** Whether Brig's own output is coloured there. */
    public boolean isColoured() {
        return out.isColoured();
    }

    /** Passes content to a terminal unchanged, for users who trust it. */
    public synchronized void becomeRaw() {
        out.becomeRaw();
        err.becomeRaw();
    }

    /**
     * Prints content.
     *
     * @param from its source, which colours do not outlive
     */
    public synchronized void content(String from, String text) {
        err.uncolour();
        out.content(from, text);
    }

    /** Prints content to standard error. */
    public synchronized void contentAside(String from, String text) {
        out.uncolour();
        err.content(from, text);
    }

    /** Prints a patch or a script: unchanged for programs, with every character visible for people. */
    public synchronized void verbatim(String text) {
        err.uncolour();
        out.own(out.isExact() ? text : VisibleText.lines(text));
    }

    /** Prints a line of JSON unchanged. */
    public synchronized void json(byte[] line) {
        String text = new String(line, StandardCharsets.UTF_8) + "\n";
        err.uncolour();
        out.own(out.isTerminal() ? VisibleText.lines(text) : text);
    }

    public void json(Record record) {
        json(Json.write(record));
    }

    /** Prints an object unchanged. */
    public void json(JsonObject object) {
        json(Json.write(object));
    }

    public void println(String text) {
        print(StyledLine.of(text));
    }

    /** Prints several lines of Brig's own output; text from elsewhere in it must not contain line breaks. */
    public void lines(String text) {
        text.lines().forEach(this::println);
    }

    void print(StyledLine line) {
        own(line + "\n");
    }

    synchronized void own(String words) {
        err.uncolour();
        out.own(words);
    }

    synchronized void ownAside(String words) {
        out.uncolour();
        err.own(words);
    }

    /** Prints a remark of Brig. */
    public void note(String text) {
        ownAside(paint(err, Colour.DIM, StyledLine.of("brig: " + text)) + "\n");
    }

    /** Prints a line about an agent's action, beside its output. */
    public void noteAside(String text) {
        ownAside(paint(err, Colour.DIM, StyledLine.of(text)) + "\n");
    }

    /** @param success always false */
    private record Refused(
            boolean success,
            String code,
            String error,
            @Nullable Integer retryAfterSeconds) {}

    /**
     * Prints a refusal.
     *
     * @param json as an object on standard output
     */
    public void refuse(BrigException refusal, boolean json) {
        if (json && refusal.code() == ErrorCode.SESSION_NOT_READY) {
            json(Json.write(NotReady.of(refusal)));
        } else if (json) {
            json(new Refused(
                    false,
                    refusal.code().name(),
                    refusal.getMessage(),
                    refusal.hints().retryAfterSeconds()));
        } else {
            // The lines of this one are commands of Brig's own; in any other a newline may come from a name.
            String message = String.valueOf(refusal.getMessage());
            List<String> lines = refusal.code() == ErrorCode.MODEL_ROUTE_MISSING
                    ? message.lines().toList()
                    : List.of(message);
            ownAside(paint(err, Colour.RED, StyledLine.of("brig: "))
                            .and(StyledLine.of(lines.getFirst()))
                            .and(paint(err, Colour.DIM, StyledLine.of(" (" + refusal.code() + ")")))
                    + "\n");
            lines.stream().skip(1).forEach(line -> ownAside(StyledLine.of(line) + "\n"));
        }
    }

    /** Prints a table with a head line and columns as wide as needed. */
    public void table(List<String> head, List<List<String>> rows) {
        tableLines(head, rows).forEach(this::print);
    }

    /** The lines of a table. */
    public List<StyledLine> tableLines(List<String> head, List<List<String>> rows) {
        List<List<StyledLine>> all = Stream.concat(Stream.of(head), rows.stream())
                .map(row -> row.stream().map(StyledLine::of).toList())
                .toList();
        int[] widths = new int[head.size()];
        for (List<StyledLine> row : all) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).width());
            }
        }
        List<StyledLine> lines = new ArrayList<>();
        for (List<StyledLine> row : all) {
            StyledLine line = StyledLine.of("");
            for (int i = 0; i < widths.length; i++) {
                StyledLine cell = row.get(i);
                String pad = i == widths.length - 1 ? "" : " ".repeat(widths[i] - cell.width() + 2);
                line = line.and(lines.isEmpty() ? paint(out, Colour.DIM, cell) : status(cell))
                        .and(StyledLine.of(pad));
            }
            lines.add(line);
        }
        return lines;
    }

    /** A status word in its colour. */
    private StyledLine status(StyledLine word) {
        return switch (word.toString()) {
            case "OK", "running", "idle", "working" -> paint(out, Colour.GREEN, word);
            case "WARN",
                    "spawning",
                    "requested",
                    "starting",
                    "waiting",
                    "unknown",
                    "unreachable",
                    "throttled_by_provider" -> paint(out, Colour.YELLOW, word);
            case "FAIL", "failed" -> paint(out, Colour.RED, word);
            default -> word;
        };
    }

    private static StyledLine paint(Screen on, Colour colour, StyledLine line) {
        return on.isColoured() ? line.in(colour) : line;
    }

    /** @param live whether it is redrawn in place, if on a terminal */
    public RedrawnLines picture(boolean live) {
        return new RedrawnLines(this, live && isLive());
    }

    /** Shows activity on standard error. */
    public Spinner spinner(String what) {
        return spinner(() -> what);
    }

    /** The same with words that change. */
    public Spinner spinner(Supplier<String> what) {
        return Spinner.start(this, what, err.isTerminal());
    }

    /** A stream for a program's output, which detects that its reader is gone: {@link #isRead}. */
    public OutputStream passing(String from, boolean aside) {
        return new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                synchronized (Terminal.this) {
                    (aside ? out : err).uncolour();
                    (aside ? err : out).content(from, bytes, offset, count);
                }
            }
        };
    }

    /** Whether standard output still has a reader. */
    public synchronized boolean isRead() {
        return !out.isBroken();
    }

    /** Whether standard error passes bytes unchanged. */
    public synchronized boolean isErrorExact() {
        return err.isExact();
    }

    /** Reserves standard output for a protocol between programs; everything else is printed to standard error. */
    public OutputStream protocol() {
        System.setOut(System.err);
        return new FileOutputStream(FileDescriptor.out);
    }

    private synchronized void finish() {
        out.finish();
        err.finish();
    }
}
