package brig.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs stty on the terminal of this process. */
final class Stty {
    private static final Pattern SIZE = Pattern.compile("([1-9]\\d{0,3}) ([1-9]\\d{0,3})");

    private Stty() {}

    /** What it says; empty if it fails. */
    static String run(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "stty";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process stty = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException noStty) {
            return "";
        }
    }

    /** The current size of the window, if it is known. */
    static Optional<RawTerminal.Size> size() {
        Matcher size = SIZE.matcher(run("size"));
        return size.matches()
                ? Optional.of(new RawTerminal.Size(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2))))
                : Optional.empty();
    }
}
