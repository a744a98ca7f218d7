package brig.formats.terminal;

import brig.protocol.VisibleText;

/**
 * Reduces what an agent writes to its terminal to what the terminal of a person may get: all that draws, and the modes
 * of keys, mouse and cursor. Questions, and what would act on the person's machine or desktop, do not pass: the
 * clipboard, titles, links, notices, colours of the palette, printing, windows, pictures, the scrollback of before.
 *
 * <p>It is a list of what passes, not of what does not. A sequence passes whole and is written anew from what was
 * understood, so the person's terminal sees the same as the {@link TerminalModel}. Streams may be cut anywhere. Not
 * thread-safe; one for each attached terminal.
 *
 * <p>Use: write {@link #fresh} before the content of a checkpoint or the first chunk, then what {@link #filter} lets
 * through, and {@link #restore} at the end, however it ends.
 *
 * <p>Decision 0185.
 */
public final class TerminalFilter {
    private static final String ESC = "\u001b";
    private static final String CSI = "\u001b[";
    /** No screen has as many rows or columns; greater numbers only take a terminal's time. */
    private static final int COUNT_MAX = 2_000;

    private static final int TEXT_PIECE = 4_096;

    /** What ends all that the agent may have switched on: modes, colours, character sets, margins, the cursor's form. */
    private static final String RESET = CSI + "?2026l" + CSI + "?9;1000;1002;1003;1004;1005;1006;1015;1016;2004l"
            + CSI + "?1;5;6;66l" + CSI + "4;20l" + CSI + "?7;25h" + ESC + ">" + ESC + "(B" + ESC + ")B" + ESC + "*B"
            + ESC + "+B\u000f" + CSI + "r" + CSI + "m";

    private final SequenceParser parser = new SequenceParser(new Passing());
    private final char[] piece = new char[TEXT_PIECE];
    private StringBuilder shown = new StringBuilder();

    private boolean alternate;
    /** What terminals have in different ways until somebody asks for one: it is reset where the agent did. */
    private boolean cursorFormed;

    private boolean keysModified;
    private boolean wheelSet;
    /** What the agent has pushed for keys, on the main and the alternate screen. */
    private final int[] pushed = new int[2];

    /** Appends what passes of the next text. */
    public void filter(CharSequence text, StringBuilder passed) {
        shown = passed;
        String all = text.toString();
        for (int i = 0; i < all.length(); i += TEXT_PIECE) {
            int end = Math.min(all.length(), i + TEXT_PIECE);
            all.getChars(i, end, piece, 0);
            parser.parse(piece, 0, end - i);
        }
    }

    /** Makes the terminal like a fresh one: all modes as usual, the main screen, empty, the cursor at its top. */
    public String fresh() {
        return restore() + CSI + "H" + ESC + "7" + CSI + "J";
    }

    /**
     * Gives the terminal back: all modes as usual, the main screen. The cursor is in the last line, or where it was before
     * the alternate screen.
     */
    public String restore() {
        StringBuilder text = new StringBuilder(RESET);
        text.append(cursorFormed ? CSI + "0 q" : "");
        text.append(keysModified ? CSI + ">4;0m" : "");
        text.append(wheelSet ? CSI + "?1007h" : "");
        cursorFormed = false;
        keysModified = false;
        wheelSet = false;
        popKeyboard(text);
        if (alternate) {
            text.append(CSI).append("?1049l");
            alternate = false;
            popKeyboard(text);
        } else {
            text.append(CSI).append("9999;1H");
        }
        return text.toString();
    }

    private void popKeyboard(StringBuilder text) {
        int screen = alternate ? 1 : 0;
        if (pushed[screen] > 0) {
            text.append(CSI).append('<').append(pushed[screen]).append('u');
            pushed[screen] = 0;
        }
    }

    /** Whether a private mode passes: of drawing, the cursor, keys, the mouse, the focus, paste, the screens. */
    private static boolean isPassedMode(int mode) {
        return switch (mode) {
            case 1,
                    5,
                    6,
                    7,
                    9,
                    12,
                    25,
                    45,
                    47,
                    66,
                    1000,
                    1002,
                    1003,
                    1004,
                    1005,
                    1006,
                    1007,
                    1015,
                    1016,
                    1047,
                    1048,
                    1049,
                    2004,
                    2026 -> true;
            default -> false;
        };
    }

    private final class Passing implements SequenceHandler {
        @Override
        public void print(char[] text, int from, int to) {
            for (int i = from; i < to; i++) {
                char c = text[i];
                if (!Character.isSurrogate(c)) {
                    if (!VisibleText.isReordering(c)) {
                        shown.append(c);
                    }
                } else if (i + 1 < to && Character.isSurrogatePair(c, text[i + 1])) {
                    shown.append(c).append(text[++i]);
                } else {
                    shown.append('\ufffd');
                }
            }
        }

        @Override
        public void execute(char control) {
            switch (control) {
                case 0x07, '\b', '\t', '\n', '\r', 0x0e, 0x0f -> shown.append(control);
                case 0x0b, 0x0c -> shown.append('\n');
                case 0x84 -> shown.append(ESC).append('D');
                case 0x85 -> shown.append(ESC).append('E');
                case 0x88 -> shown.append(ESC).append('H');
                case 0x8d -> shown.append(ESC).append('M');
                default -> {}
            }
        }

        @Override
        public void escape(int function) {
            switch (function) {
                case '7', '8', 'D', 'E', 'H', 'M', '=', '>', 'n', 'o' ->
                    shown.append(ESC).append((char) function);
                case 'c' -> shown.append(fresh());
                case '#' << 8 | '8' -> shown.append(ESC).append("#8");
                default -> {
                    int intermediate = function >> 8;
                    if (intermediate >= '(' && intermediate <= '+') {
                        int set = function & 0xff;
                        shown.append(ESC)
                                .append((char) intermediate)
                                .append(set == '0' || set == 'A' ? (char) set : 'B');
                    }
                }
            }
        }

        @Override
        public void control(int function, Parameters parameters) {
            switch (function) {
                case '@',
                        'A',
                        'B',
                        'C',
                        'D',
                        'E',
                        'F',
                        'G',
                        'H',
                        'I',
                        'L',
                        'M',
                        'P',
                        'S',
                        'X',
                        'Z',
                        '`',
                        'a',
                        'b',
                        'd',
                        'e',
                        'f',
                        'r' -> pass(function, parameters, 2);
                case 'T' -> {
                    if (parameters.count() <= 1) {
                        pass(function, parameters, 1);
                    }
                }
                case 'g' -> {
                    if (parameters.value(0) == 0 || parameters.value(0) == 3) {
                        pass(function, parameters, 1);
                    }
                }
                case 'J', 'K', '?' << 16 | 'J', '?' << 16 | 'K' -> {
                    if (parameters.value(0) <= 2) {
                        pass(function & 0xff, parameters, 1);
                    }
                }
                case 'm' -> {
                    shown.append(CSI);
                    parameters.append(shown);
                    shown.append('m');
                }
                case 's', 'u' -> {
                    if (parameters.count() == 0) {
                        pass(function, parameters, 0);
                    }
                }
                case 'h', 'l' -> passModes(function, parameters);
                case '?' << 16 | 'h', '?' << 16 | 'l' -> passPrivateModes((char) (function & 0xff), parameters);
                case '!' << 8 | 'p' -> shown.append(CSI).append("!p");
                case ' ' << 8 | 'q' -> {
                    if (parameters.value(0) <= 6) {
                        cursorFormed = true;
                        shown.append(CSI).append(parameters.value(0)).append(" q");
                    }
                }
                case '>' << 16 | 'm' -> {
                    if (parameters.count() == 0 || parameters.value(0) == 4) {
                        keysModified = true;
                        shown.append(CSI)
                                .append(">4;")
                                .append(Math.min(3, parameters.value(1)))
                                .append('m');
                    }
                }
                case '>' << 16 | 'u', '<' << 16 | 'u', '=' << 16 | 'u' -> passKeyboard(function >> 16, parameters);
                default -> {}
            }
        }

        @Override
        public void command(String content) {
            // Nothing passes: titles, links, the clipboard, the palette, folders, notices.
        }

        @Override
        public void device(String content) {
            // Nothing passes: questions, pictures, what is passed through to a multiplexer.
        }

        private void pass(int function, Parameters parameters, int most) {
            shown.append(CSI);
            for (int i = 0; i < Math.min(most, parameters.count()); i++) {
                shown.append(i > 0 ? ";" : "");
                if (parameters.exact(i) != Parameters.ABSENT) {
                    shown.append(Math.min(COUNT_MAX, parameters.value(i)));
                }
            }
            shown.append((char) function);
        }

        private void passModes(int function, Parameters parameters) {
            for (int i = 0; i < parameters.count(); i++) {
                if (parameters.value(i) == 4 || parameters.value(i) == 20) {
                    shown.append(CSI).append(parameters.value(i)).append((char) function);
                }
            }
        }

        private void passPrivateModes(char function, Parameters parameters) {
            for (int i = 0; i < parameters.count(); i++) {
                int mode = parameters.value(i);
                if (isPassedMode(mode)) {
                    boolean screens = mode == 47 || mode == 1047 || mode == 1049;
                    if (screens && alternate && function == 'l') {
                        popKeyboard(shown);
                    }
                    shown.append(CSI).append('?').append(mode).append(function);
                    alternate = screens ? function == 'h' : alternate;
                    cursorFormed |= mode == 12;
                    wheelSet |= mode == 1007;
                }
            }
        }

        /** The stack of the person's own programs is below that of the agent, and stays as it is. */
        private void passKeyboard(int prefix, Parameters parameters) {
            int screen = alternate ? 1 : 0;
            int flags = parameters.value(0) & KeyboardFlags.ALL;
            if (prefix == '<') {
                int popped = Math.min(parameters.amount(), pushed[screen]);
                if (popped > 0) {
                    pushed[screen] -= popped;
                    shown.append(CSI).append('<').append(popped).append('u');
                }
            } else if (prefix == '>' || pushed[screen] == 0) {
                // A terminal forgets the oldest of a deep stack, so one that is full is not pushed any deeper.
                if (pushed[screen] < KeyboardFlags.DEPTH_MAX) {
                    pushed[screen]++;
                    shown.append(CSI).append('>').append(flags).append('u');
                } else {
                    shown.append(CSI).append('=').append(flags).append(";1u");
                }
            } else {
                int how = Math.clamp(parameters.value(1), 1, 3);
                shown.append(CSI)
                        .append('=')
                        .append(flags)
                        .append(';')
                        .append(how)
                        .append('u');
            }
        }
    }
}
