package brig.formats.terminal;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The private modes of DEC and xterm that are on or off, and no more. */
enum Mode {
    CURSOR_KEYS(1),
    REVERSE(5),
    ORIGIN(6),
    WRAP(7, true),
    BLINK(12),
    CURSOR(25, true),
    KEYPAD(66),
    FOCUS(1004),
    ALTERNATE_SCROLL(1007, true),
    PASTE(2004),
    SYNCHRONIZED(2026);

    private static final Map<Integer, Mode> BY_NUMBER =
            Arrays.stream(values()).collect(Collectors.toMap(Mode::number, Function.identity()));

    private final int number;
    private final boolean usual;

    Mode(int number) {
        this(number, false);
    }

    Mode(int number, boolean usual) {
        this.number = number;
        this.usual = usual;
    }

    int number() {
        return number;
    }

    /** Whether a fresh terminal has it. */
    boolean isUsual() {
        return usual;
    }

    static Optional<Mode> of(int number) {
        return Optional.ofNullable(BY_NUMBER.get(number));
    }
}
