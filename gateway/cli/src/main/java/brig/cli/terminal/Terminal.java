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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the command line prints: data on standard output, everything else on standard error, colour only for people.
 * There is no other way out ({@code ArchitectureTest}), so no command can forget what is true of every line here:
 *
 * <ul>
 * <li>Brig's own words are made of {@link StyledLine}s. Names, paths and reasons are visible in them, in files and pipes too.
 * <li>What an agent, or a program, wrote is {@code content}. A terminal gets text and colours of it ({@link ContentFilter}),
 *     and the colours end when somebody else speaks and when this process ends, in whatever way it is told to. A
 *     file or a pipe gets every byte. Each of the two streams is judged by itself.
 * </ul>
 *
 * <p>Decision 0111.
 */
public final class Terminal {
    private static final int TYPE_BITS = 0170000;
    private static final int CHARACTER_DEVICE = 0020000;
    /** The devices of /dev/null, /dev/full and the like. */
    private static final int MEMORY_DEVICES = 1;

    private static final String SELF = "brig";

    private final Screen out;
    private final Screen err;

    Terminal(Screen out, Screen err) {
        this.out = out;
        this.err = err;
    }

    /** One on which nobody looks. */
    public static Terminal ofNobody() {
        Screen none = new Screen(OutputStream.nullOutputStream(), false, false);
        return new Terminal(none, none);
    }

    /**
     * That of this process. What prints without asking, such as the log and a stack trace, goes the same way from here on.
     */
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
        boolean coloured = terminal && System.getenv("NO_COLOR") == null && !"dumb".equals(System.getenv("TERM"));
        return new Screen(new FileOutputStream(descriptor), terminal, coloured);
    }

    /**
     * Whether that descriptor of this process is a terminal. Java's Console only tells of input and output together, and the
     * name of the device is another one in a container: so whatever is no file, no pipe and not /dev/null counts as one.
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

    /** Whether a person looks at standard output. */
    public boolean isLive() {
        return out.isTerminal();
    }

    /** Lets content through as it is, on a terminal too: who asks for this trusts what was written. */
    public synchronized void becomeRaw() {
        out.becomeRaw();
        err.becomeRaw();
    }

    /**
     * What somebody wrote.
     *
     * @param from who: another one's colours are not theirs
     */
    public synchronized void content(String from, String text) {
        err.uncolour();
        out.content(from, text);
    }

    /** What somebody wrote to its standard error. */
    public synchronized void contentAside(String from, String text) {
        out.uncolour();
        err.content(from, text);
    }

    /** A patch, a script: a program gets it as it is, and a person sees every character of it. */
    public synchronized void verbatim(String text) {
        err.uncolour();
        out.own(out.isExact() ? text : VisibleText.lines(text));
    }

    /** A line of somebody's JSON, as it came. */
    public synchronized void json(byte[] line) {
        String text = new String(line, StandardCharsets.UTF_8) + "\n";
        err.uncolour();
        out.own(out.isTerminal() ? VisibleText.lines(text) : text);
    }

    public void json(Record record) {
        json(Json.write(record));
    }

    /** An object as it came. */
    public void json(JsonObject object) {
        json(Json.write(object));
    }

    public void println(String text) {
        print(StyledLine.of(text));
    }

    /** A text of several lines that is Brig's own: what else is in it may begin lines. */
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

    /** A remark of Brig's own. */
    public void note(String text) {
        ownAside(paint(err, Colour.DIM, StyledLine.of("brig: " + text)) + "\n");
    }

    /** A line about what somebody does, beside what is said. */
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
     * Says why it did not work.
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
            // The lines of this one are Brig's own words, to be typed; in any other a newline is somebody's name.
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

    /** A table with a head line, columns as wide as they need to be. */
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

    /** A status word in the colour that fits it. */
    private StyledLine status(StyledLine word) {
        return switch (word.toString()) {
            case "OK", "running", "idle", "working" -> paint(out, Colour.GREEN, word);
            case "WARN", "spawning", "requested", "starting", "waiting", "unknown" -> paint(out, Colour.YELLOW, word);
            case "FAIL", "failed" -> paint(out, Colour.RED, word);
            default -> word;
        };
    }

    private static StyledLine paint(Screen on, Colour colour, StyledLine line) {
        return on.isColoured() ? line.in(colour) : line;
    }

    /** @param live whether it stays in its place, which a terminal can do */
    public RedrawnLines picture(boolean live) {
        return new RedrawnLines(this, live && isLive());
    }

    /** Shows a person on standard error that something is under way. */
    public Spinner spinner(String what) {
        return Spinner.start(this, what, err.isTerminal());
    }

    /** A way for what a program writes, which takes note of a reader that has gone: {@link #isRead}. */
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

    /** Whether what goes to standard output still arrives. */
    public synchronized boolean isRead() {
        return !out.isBroken();
    }

    /** Whether what is written to standard error gets there as it is. */
    public synchronized boolean isErrorExact() {
        return err.isExact();
    }

    /** Standard output for a protocol between programs, which has it for itself: whatever else prints does so beside it. */
    public OutputStream protocol() {
        System.setOut(System.err);
        return new FileOutputStream(FileDescriptor.out);
    }

    private synchronized void finish() {
        out.finish();
        err.finish();
    }
}
