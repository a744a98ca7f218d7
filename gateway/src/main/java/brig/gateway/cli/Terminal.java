package brig.gateway.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the command line prints: data on standard output, everything else on standard error, colour only for people. */
final class Terminal {
    private static final String DIM = "\u001b[2m";
    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RESET = "\u001b[0m";

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private final PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    private final boolean colour =
            isTerminal(1) && System.getenv("NO_COLOR") == null && !"dumb".equals(System.getenv("TERM"));

    /** Whether that descriptor of this process is a terminal. Java's Console only tells of input and output together. */
    static boolean isTerminal(int descriptor) {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    void print(String text) {
        out.print(text);
        out.flush();
    }

    void println(String text) {
        print(text + "\n");
    }

    void json(Map<String, ?> object) {
        println(new String(Json.write(object), StandardCharsets.UTF_8));
    }

    /** What the agent wrote to its standard error. */
    void printError(String text) {
        out.flush();
        err.print(text);
        err.flush();
    }

    /** A remark of Brig's own. */
    void note(String text) {
        printError(paint(DIM, "brig: " + text) + "\n");
    }

    /**
     * Says why it did not work.
     *
     * @param json as an object on standard output
     */
    void refuse(BrigException refusal, boolean json) {
        if (json && refusal.code() == ErrorCode.SESSION_NOT_READY) {
            json(refusal.notReady());
        } else if (json) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("success", false);
            object.put("code", refusal.code().name());
            object.put("error", refusal.getMessage());
            refusal.retryAfterSeconds().ifPresent(seconds -> object.put("retry_after_seconds", seconds));
            json(object);
        } else {
            printError(paint(RED, "brig: ") + refusal.getMessage() + paint(DIM, " (" + refusal.code() + ")") + "\n");
        }
    }

    /** A status word in the colour that fits it. */
    String status(String status) {
        return switch (status) {
            case "OK", "running" -> paint(GREEN, status);
            case "WARN", "spawning", "requested", "unknown" -> paint(YELLOW, status);
            case "FAIL", "failed" -> paint(RED, status);
            default -> status;
        };
    }

    private String paint(String sequence, String text) {
        return colour ? sequence + text + RESET : text;
    }

    /** A table with a head line, columns as wide as they need to be. */
    void table(List<String> head, List<List<String>> rows) {
        tableLines(head, rows).forEach(this::println);
    }

    List<String> tableLines(List<String> head, List<List<String>> rows) {
        List<List<String>> all = new ArrayList<>(List.of(head));
        all.addAll(rows);
        int[] widths = new int[head.size()];
        for (List<String> row : all) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String cell = row.get(i);
                String pad = i == widths.length - 1 ? "" : " ".repeat(widths[i] - cell.length() + 2);
                line.append(row == head ? paint(DIM, cell) : status(cell)).append(pad);
            }
            lines.add(line.toString());
        }
        return lines;
    }

    static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }
}
