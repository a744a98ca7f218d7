package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Texts for shells on the other machine. A word of a script stands for the same bytes whatever they are, but its own
 * text is ASCII: what {@code ssh} is given as an argument must not depend on the locale of this process.
 */
final class RemoteScript {
    /** What the kernel takes as one argument, less the options of ssh. */
    static final int BYTES_MAX = 120 * 1024;

    static final String COMMAND = resource("command.sh");
    static final String KEEPER = resource("keeper.sh");
    static final String MASKS = resource("masks.sh");

    private RemoteScript() {}

    private static String resource(String name) {
        try (InputStream script = RemoteScript.class.getResourceAsStream(name)) {
            if (script == null) throw new IllegalStateException(name + " is missing");
            return new String(script.readAllBytes(), UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new IllegalStateException(name + " is unreadable", e);
        }
    }

    /** A shell with that script; {@code exec} makes it the leader of the session that sshd made. */
    static String shell(String before, String script, List<String> arguments) {
        return "exec " + before + "/bin/sh -c " + word(script) + " sh "
                + arguments.stream().map(RemoteScript::word).collect(Collectors.joining(" "));
    }

    /** A word of a POSIX shell that stands for these bytes. */
    static String word(String bytes) {
        int first = 0;
        while (first < bytes.length() && isPlain(bytes.charAt(first))) first++;
        if (first == bytes.length()) return quoted(bytes);
        int last = bytes.length();
        while (isPlain(bytes.charAt(last - 1))) last--;
        // The part that printf writes does not end with a newline, which a substitution would lose.
        return quoted(bytes.substring(0, first)) + "\"$(printf %b " + quoted(encoded(bytes.substring(first, last)))
                + ")\"" + quoted(bytes.substring(last));
    }

    private static boolean isPlain(char c) {
        return c == '\n' || c == '\t' || (c >= ' ' && c <= '~');
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** For {@code printf %b}, and a word of its own in a line that {@code read -r} splits. */
    static String encoded(String bytes) {
        StringBuilder encoded = new StringBuilder(bytes.length() + 16);
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean safe = letter || (c >= '0' && c <= '9') || "/._-".indexOf(c) >= 0;
            if (safe) encoded.append(c);
            else encoded.append('\\').append('0').append(octal(c));
        }
        return encoded.toString();
    }

    private static String octal(char c) {
        String digits = Integer.toOctalString(c);
        return "0".repeat(3 - digits.length()) + digits;
    }

    /** A text of this process as a byte string. */
    static String bytes(String text) {
        return new String(text.getBytes(UTF_8), ISO_8859_1);
    }

    /** A byte string as a text of this process; what is no UTF-8 is replaced. */
    static String text(String bytes) {
        return new String(bytes.getBytes(ISO_8859_1), UTF_8);
    }
}
