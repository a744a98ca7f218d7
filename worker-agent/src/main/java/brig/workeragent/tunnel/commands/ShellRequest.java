package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.protocol.control.CallerTerminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A call of a shell in a wall. All texts are byte strings.
 *
 * @param shell the name of the program that was called, such as {@code bash}
 * @param folder the current folder in the wall; absolute
 * @param rows of the terminal; 0 if unknown
 * @param arguments the name that it was called by, then its arguments
 * @param environment of the caller, all of it
 */
record ShellRequest(
        String shell,
        String folder,
        boolean tty,
        int rows,
        int columns,
        List<String> arguments,
        Map<String, String> environment) {

    /** The login shell of the host's user, as a command of {@code sh}. */
    private static final String LOGIN_SHELL = "exec \"${SHELL:-/bin/sh}\" -l";

    static final int ARGUMENTS_MAX = 4096;
    private static final int FIELDS = 6;
    private static final int WINDOW_MAX = 9999;

    /** An interactive login shell for a person, in that folder of the wall. */
    static ShellRequest ofPerson(String folder, CallerTerminal terminal) {
        Map<String, String> environment = new TreeMap<>(Map.of("TERM", terminal.term()));
        if (terminal.language() != null) environment.put("LANG", terminal.language());
        return new ShellRequest(
                "sh", folder, true, terminal.rows(), terminal.columns(), List.of("sh", "-c", LOGIN_SHELL), environment);
    }

    /** @throws IllegalArgumentException if it is malformed */
    static ShellRequest parse(byte[] content) {
        List<String> texts = split(content);
        if (texts.size() < FIELDS) throw new IllegalArgumentException("a request with too few texts");
        int count = number(texts.get(FIELDS - 1), ARGUMENTS_MAX);
        int end = FIELDS + count;
        if (count < 1 || end > texts.size()) throw new IllegalArgumentException("a request without its arguments");
        String folder = texts.get(1);
        if (!folder.startsWith("/")) throw new IllegalArgumentException("a request from no folder");
        Map<String, String> environment = new TreeMap<>();
        for (String variable : texts.subList(end, texts.size())) {
            int equals = variable.indexOf('=');
            if (equals > 0) environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return new ShellRequest(
                texts.getFirst(),
                folder,
                texts.get(2).equals("tty"),
                number(texts.get(3), WINDOW_MAX),
                number(texts.get(4), WINDOW_MAX),
                List.copyOf(texts.subList(FIELDS, end)),
                environment);
    }

    private static List<String> split(byte[] content) {
        List<String> texts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < content.length; i++) {
            if (content[i] != 0) continue;
            texts.add(new String(content, start, i - start, ISO_8859_1));
            start = i + 1;
        }
        if (start != content.length) throw new IllegalArgumentException("a request that does not end");
        return texts;
    }

    private static int number(String text, int max) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0 && number <= max) return number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a request with a malformed number", e);
        }
        throw new IllegalArgumentException("a request with a number that is too large");
    }

    /** The same with another folder and other arguments. */
    ShellRequest with(String otherFolder, List<String> otherArguments) {
        return new ShellRequest(shell, otherFolder, tty, rows, columns, otherArguments, environment);
    }

    /** Whether the shell was called as a login shell by its name. */
    boolean login() {
        return arguments.getFirst().startsWith("-");
    }
}
