package brig.formats.terminal;

/**
 * Finds text, control characters and sequences in the output for a terminal, as ECMA-48 and the state machine of Paul
 * Williams (vt100.net/emu/dec_ansi_parser) do, wherever it is cut. C1 controls are those of Unicode, U+0080 to U+009F.
 *
 * <p>What it keeps is bounded: a string that is longer is swallowed and not reported. As in terminals there is no bound
 * to how long it swallows one.
 */
final class SequenceParser {
    /** Longer than any title or question. */
    private static final int STRING_CHARS_MAX = 4096;
    /** Stands for intermediate characters that no function has. */
    private static final int UNKNOWN = 0xff;

    private static final char BELL = 0x07;
    private static final char CANCEL = 0x18;
    private static final char SUBSTITUTE = 0x1a;
    private static final char ESCAPE = 0x1b;
    private static final char DELETE = 0x7f;
    private static final char STRING_END = 0x9c;

    private enum State {
        GROUND,
        /** After ESC, and intermediate characters. */
        ESCAPED,
        /** After ESC [. */
        ENTRY,
        PARAMETERS,
        INTERMEDIATES,
        /** In a control sequence that is invalid. */
        IGNORED,
        /** In OSC, DCS, APC, PM or SOS. */
        STRING
    }

    private final SequenceHandler handler;
    private final Parameters parameters = new Parameters();
    private final StringBuilder string = new StringBuilder();

    private State state = State.GROUND;
    private int prefix;
    private int intermediate;
    /** Of a string, as after ESC. */
    private char kind;
    /** The first half of a pair, whose second is to come; or 0. */
    private char half;

    SequenceParser(SequenceHandler handler) {
        this.handler = handler;
    }

    /** Whether neither a sequence nor a character is incomplete. */
    boolean isGround() {
        return state == State.GROUND && half == 0;
    }

    void parse(char[] text, int from, int to) {
        int at = from;
        if (half != 0 && at < to) {
            boolean pair = Character.isLowSurrogate(text[at]);
            char[] held = pair ? new char[] {half, text[at]} : new char[] {half};
            at += held.length - 1;
            half = 0;
            handler.print(held, 0, held.length);
        }
        while (at < to) {
            if (state == State.GROUND && isText(text[at])) {
                at = print(text, at, to);
            } else {
                accept(text[at++]);
            }
        }
    }

    private static boolean isText(char c) {
        return c >= ' ' && (c < DELETE || c > 0x9f);
    }

    private int print(char[] text, int from, int to) {
        int end = from + 1;
        while (end < to && isText(text[end])) {
            end++;
        }
        boolean cut = end == to && Character.isHighSurrogate(text[end - 1]);
        if (cut) {
            half = text[end - 1];
        }
        int last = cut ? end - 1 : end;
        if (last > from) {
            handler.print(text, from, last);
        }
        return end;
    }

    private void accept(char c) {
        if (c == ESCAPE) {
            endString(true);
            begin(State.ESCAPED);
        } else if (c == CANCEL || c == SUBSTITUTE) {
            endString(false);
            state = State.GROUND;
            handler.execute(c);
        } else if (c >= 0x80 && c <= 0x9f) {
            acceptC1(c);
        } else {
            switch (state) {
                case GROUND -> acceptGround(c);
                case ESCAPED -> acceptEscaped(c);
                case ENTRY, PARAMETERS, INTERMEDIATES, IGNORED -> acceptSequence(c);
                case STRING -> acceptString(c);
            }
        }
    }

    private void begin(State begun) {
        state = begun;
        prefix = 0;
        intermediate = 0;
        parameters.clear();
    }

    private void beginString(char as) {
        state = State.STRING;
        kind = as;
        string.setLength(0);
    }

    private void acceptC1(char c) {
        if (c == STRING_END) {
            endString(true);
            state = State.GROUND;
            return;
        }
        switch (c) {
            case 0x90 -> beginString('P');
            case 0x98 -> beginString('X');
            case 0x9b -> begin(State.ENTRY);
            case 0x9d -> beginString(']');
            case 0x9e -> beginString('^');
            case 0x9f -> beginString('_');
            default -> {
                state = State.GROUND;
                handler.execute(c);
            }
        }
    }

    private void acceptGround(char c) {
        if (c != DELETE) {
            handler.execute(c);
        }
    }

    private void acceptEscaped(char c) {
        if (c < ' ') {
            handler.execute(c);
        } else if (c < '0') {
            collect(c);
        } else if (c > DELETE) {
            state = State.GROUND;
        } else if (c < DELETE) {
            if (intermediate == 0 && c == '[') {
                begin(State.ENTRY);
            } else if (intermediate == 0 && "]PX^_".indexOf(c) >= 0) {
                beginString(c);
            } else {
                state = State.GROUND;
                handler.escape(intermediate << 8 | c);
            }
        }
    }

    private void collect(char c) {
        intermediate = intermediate == 0 ? c : UNKNOWN;
    }

    private void acceptSequence(char c) {
        if (c < ' ') {
            handler.execute(c);
        } else if (c > DELETE) {
            state = state == State.IGNORED ? state : State.GROUND;
        } else if (c >= '@' && c < DELETE) {
            boolean valid = state != State.IGNORED;
            state = State.GROUND;
            if (valid) {
                handler.control(prefix << 16 | intermediate << 8 | c, parameters);
            }
        } else if (c < DELETE && state != State.IGNORED) {
            acceptParameter(c);
        }
    }

    private void acceptParameter(char c) {
        if (c < '0') {
            collect(c);
            state = State.INTERMEDIATES;
        } else if (state == State.INTERMEDIATES || (c >= '<' && state == State.PARAMETERS)) {
            state = State.IGNORED;
        } else {
            state = State.PARAMETERS;
            if (c >= '<') {
                prefix = c;
            } else if (c <= '9') {
                parameters.digit(c - '0');
            } else {
                parameters.separate(c == ':');
            }
        }
    }

    private void acceptString(char c) {
        if (c == BELL && kind == ']') {
            endString(true);
            state = State.GROUND;
        } else if (c >= ' ' && string.length() <= STRING_CHARS_MAX) {
            string.append(c);
        }
    }

    private void endString(boolean complete) {
        if (state != State.STRING) {
            return;
        }
        state = State.GROUND;
        if (complete && string.length() <= STRING_CHARS_MAX) {
            if (kind == ']') {
                handler.command(string.toString());
            } else if (kind == 'P') {
                handler.device(string.toString());
            }
        }
        string.setLength(0);
    }
}
