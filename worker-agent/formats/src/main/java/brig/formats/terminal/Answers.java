package brig.formats.terminal;

import java.util.function.Consumer;

/**
 * Answers what programs ask a terminal: its kind, size, cursor, modes and colours. They are facts of the model alone, and
 * never what an agent wrote: so no answer can be made to look like keys.
 */
final class Answers {
    private static final String CSI = "\u001b[";
    private static final String ST = "\u001b\\";
    /** A terminal of level 2 with colours. */
    private static final String KIND = CSI + "?62;22c";
    /** As xterm's of the first version that reports the mouse in the way of mode 1006. */
    private static final String VERSION = CSI + ">41;277;0c";

    private static final String NAME = "\u001bP>|brig" + ST;
    /** Those of one command. */
    private static final int COLOURS_MAX = 256;

    private static final int[] FIRST_COLOURS = {
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
        0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff
    };
    private static final int TEXT_COLOUR = 0xe5e5e5;
    private static final int BACKGROUND_COLOUR = 0x000000;

    private final Display display;
    private final Consumer<String> sink;

    Answers(Display display, Consumer<String> sink) {
        this.display = display;
        this.sink = sink;
    }

    void control(int function, Parameters parameters) {
        int first = parameters.value(0);
        switch (function) {
            case 'c' -> answer(first == 0, KIND);
            case '>' << 16 | 'c' -> answer(first == 0, VERSION);
            case '=' << 16 | 'c' -> answer(first == 0, "\u001bP!|00000000" + ST);
            case '>' << 16 | 'q' -> answer(first == 0, NAME);
            case 'n' -> {
                answer(first == 5, CSI + "0n");
                answer(first == 6, CSI + place() + "R");
            }
            case '?' << 16 | 'n' -> answer(first == 6, CSI + "?" + place() + "R");
            case '?' << 16 | 'u' ->
                sink.accept(CSI + "?" + display.shown().keyboard.current() + "u");
            case '?' << 16 | 'm' -> answer(first == 4, CSI + ">4;" + display.otherKeys + "m");
            case 't' -> answer(first == 18, CSI + "8;" + display.rows() + ";" + display.columns + "t");
            case '?' << 16 | '$' << 8 | 'p' -> sink.accept(CSI + "?" + first + ";" + privateMode(first) + "$y");
            case '$' << 8 | 'p' -> sink.accept(CSI + first + ";" + mode(first) + "$y");
            default -> {}
        }
    }

    private void answer(boolean asked, String answer) {
        if (asked) {
            sink.accept(answer);
        }
    }

    private String place() {
        return display.row() + 1 + ";" + (Math.min(display.cursor.column, display.columns - 1) + 1);
    }

    /** As DECRPM says it: 0 for unknown modes, 1 for on, 2 for off. */
    private static int report(boolean on) {
        return on ? 1 : 2;
    }

    private int mode(int number) {
        return switch (number) {
            case 4 -> report(display.inserts);
            case 20 -> report(display.returns);
            default -> 0;
        };
    }

    private int privateMode(int number) {
        return switch (number) {
            case 9, 1000, 1002, 1003 -> report(display.mouse == number);
            case 1005, 1006, 1015, 1016 -> report(display.mouseForm == number);
            case 47, 1047, 1049 -> report(display.showsAlternate());
            case 1048 -> 1;
            default ->
                Mode.of(number)
                        .map(mode -> report(display.modes.contains(mode)))
                        .orElse(0);
        };
    }

    /** Colours, one or several. They are always the same: what a program sets is not kept. */
    void command(String content) {
        String[] parts = content.split(";", COLOURS_MAX);
        switch (parts[0]) {
            case "4" -> {
                for (int i = 1; i + 1 < parts.length; i += 2) {
                    if (parts[i + 1].equals("?") && parts[i].matches("\\d{1,3}") && Integer.parseInt(parts[i]) < 256) {
                        answerColour("4;" + parts[i], colour(Integer.parseInt(parts[i])));
                    }
                }
            }
            case "10", "11", "12" -> {
                int number = Integer.parseInt(parts[0]);
                for (int i = 1; i < parts.length && number <= 12; i++, number++) {
                    if (parts[i].equals("?")) {
                        answerColour(String.valueOf(number), number == 11 ? BACKGROUND_COLOUR : TEXT_COLOUR);
                    }
                }
            }
            default -> {}
        }
    }

    private void answerColour(String of, int colour) {
        sink.accept("\u001b]%s;rgb:%4$02x%4$02x/%3$02x%3$02x/%2$02x%2$02x%5$s"
                .formatted(of, colour & 0xff, colour >> 8 & 0xff, colour >> 16, ST));
    }

    /** A colour of xterm's 256: 16, a cube of 216, and 24 grey ones. */
    private static int colour(int index) {
        if (index < FIRST_COLOURS.length) {
            return FIRST_COLOURS[index];
        }
        if (index >= 232) {
            return (8 + (index - 232) * 10) * 0x010101;
        }
        int cube = index - 16;
        return (level(cube / 36) << 16) | (level(cube / 6 % 6) << 8) | level(cube % 6);
    }

    private static int level(int step) {
        return step == 0 ? 0 : 55 + step * 40;
    }

    /** What is asked by names that Brig does not know is answered, so that nobody waits for it. */
    void device(String content) {
        if (content.startsWith("$q")) {
            sink.accept("\u001bP0$r" + ST);
        } else if (content.startsWith("+q")) {
            sink.accept("\u001bP0+r" + ST);
        }
    }
}
