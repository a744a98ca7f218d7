package brig.cli.setup;

import brig.cli.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Questions to the person at the terminal. Each has a default, which Enter takes. */
public final class Questions {
    /** Who answers. */
    public enum Mode {
        PERSON,
        /** Nobody: each default is taken. */
        DEFAULTS,
        /** Nobody: whatever would change something is left undone. */
        NOBODY
    }

    private static final int TRIES = 3;

    private final Terminal terminal;
    private final BufferedReader answers;
    private Mode mode;

    public Questions(Terminal terminal, BufferedReader answers, Mode mode) {
        this.terminal = terminal;
        this.answers = answers;
        this.mode = mode;
    }

    /** Whether a person answers. */
    public boolean reachPerson() {
        return mode == Mode.PERSON;
    }

    public boolean agrees(String question, boolean usual) throws IOException {
        if (mode != Mode.PERSON) {
            return mode == Mode.DEFAULTS && usual;
        }
        for (int tries = 0; tries < TRIES; tries++) {
            String answer = ask(question + (usual ? " [Y/n]" : " [y/N]")).toLowerCase(Locale.ROOT);
            if (answer.isEmpty()) {
                return usual && mode == Mode.PERSON;
            }
            if (Stream.of("y", "yes", "n", "no").anyMatch(answer::equals)) {
                return answer.startsWith("y");
            }
            terminal.note("y or n");
        }
        return false;
    }

    /** Some of them, in words of the person. */
    public List<String> some(String question, List<String> all, List<String> usual) throws IOException {
        if (mode != Mode.PERSON) {
            return mode == Mode.DEFAULTS ? usual : List.of();
        }
        String shown = usual.isEmpty() ? "none" : String.join(",", usual);
        for (int tries = 0; tries < TRIES; tries++) {
            String answer = ask(question + " " + String.join(", ", all) + ", all or none [" + shown + "]");
            List<String> words = List.of(answer.split("[,\\s]+", -1));
            if (answer.isEmpty()) {
                return mode == Mode.PERSON ? usual : List.of();
            }
            if (words.equals(List.of("none"))) {
                return List.of();
            }
            if (words.equals(List.of("all"))) {
                return all;
            }
            if (all.containsAll(words)) {
                return all.stream().filter(words::contains).toList();
            }
            terminal.note("names of the list, such as " + String.join(",", all));
        }
        return List.of();
    }

    /**
     * One of several ways.
     *
     * @return its index; the last one is to do nothing
     */
    public int one(String question, List<String> ways, int usual) throws IOException {
        int nothing = ways.size() - 1;
        if (mode != Mode.PERSON) {
            return mode == Mode.DEFAULTS ? usual : nothing;
        }
        for (int tries = 0; tries < TRIES; tries++) {
            terminal.note(question);
            IntStream.range(0, ways.size()).forEach(i -> terminal.note("  " + (i + 1) + " " + ways.get(i)));
            String answer = ask("number [" + (usual + 1) + "]");
            if (answer.isEmpty()) {
                return mode == Mode.PERSON ? usual : nothing;
            }
            if (answer.matches("[1-9]") && Integer.parseInt(answer) <= ways.size()) {
                return Integer.parseInt(answer) - 1;
            }
        }
        return nothing;
    }

    /** Any text; null for none. */
    public @Nullable String text(String question) throws IOException {
        String answer = mode == Mode.PERSON ? ask(question) : "";
        return answer.isEmpty() ? null : answer;
    }

    /** After the end of the input nobody answers any more. */
    private String ask(String question) throws IOException {
        terminal.note(question);
        String answer = answers.readLine();
        if (answer == null) {
            mode = Mode.NOBODY;
            return "";
        }
        return answer.strip();
    }
}
