package brig.cli.terminal;

import brig.protocol.VisibleText;

/**
 * What an agent writes, as a terminal may have it: text, newlines, tabs and colours (SGR), and nothing else. It is read as a
 * terminal would read it (ECMA-48, and what xterm makes of it), so that the whole of a sequence goes and not its first
 * byte, wherever reads and frames cut it. A sequence is passed on as a whole or not at all: whatever is misread here costs
 * a few letters on the screen, and never gives a command to it.
 *
 * <p>A carriage return becomes a line end, as in the log of a build: whoever could go back to the start of a line could
 * replace what a person is about to read. Characters that turn the order of others round are made visible.
 *
 * <p>Decision 0112.
 */
final class ContentFilter {
    static final String RESET = "\u001b[0m";

    /** What may stand between {@code ESC [} and {@code m}: more than any colour needs. */
    private static final int COLOUR_CHARS_MAX = 64;
    /** A longer sequence is none: what follows is text again. */
    private static final int SEQUENCE_CHARS_MAX = 256;
    /** A title, a link, a short picture. What is not ended by then never will be, and must not hide what follows. */
    private static final int STRING_CHARS_MAX = 4096;

    private static final char BELL = 0x07;
    private static final char CANCEL = 0x18;
    private static final char SUBSTITUTE = 0x1a;
    private static final char ESCAPE = 0x1b;
    private static final char DELETE = 0x7f;
    private static final char CONTROL_SEQUENCE = 0x9b;
    private static final char STRING_END = 0x9c;

    private enum State {
        TEXT,
        /** Behind ESC. */
        ESCAPED,
        /** Behind ESC and what announces a longer form, such as {@code (}. */
        ANNOUNCED,
        /** Behind ESC [. */
        SEQUENCE,
        /** Inside OSC, DCS, APC, PM or SOS. */
        STRING,
        /** Behind an ESC there, which ends it one way or the other. */
        STRING_ESCAPED
    }

    private State state = State.TEXT;
    /** How much of a sequence or a string has come. */
    private int length;

    private final StringBuilder parameters = new StringBuilder();
    private boolean maybeColour;
    private boolean coloured;
    private boolean colourless;
    private boolean atLineStart = true;
    /** A carriage return came; the line ends unless a newline does that anyway. */
    private boolean returned;

    /** Appends what may be shown of the text that comes next. */
    void filter(CharSequence text, StringBuilder shown) {
        for (int i = 0; i < text.length(); i++) {
            accept(text.charAt(i), shown);
        }
    }

    /** Ends what was begun: what comes next is somebody else's. */
    void finish(StringBuilder shown) {
        state = State.TEXT;
        returned = false;
        uncolour(shown);
    }

    /** Ends colours. */
    void uncolour(StringBuilder shown) {
        if (coloured) {
            shown.append(RESET);
            coloured = false;
        }
    }

    /** From here on there are no colours. */
    void becomeColourless() {
        colourless = true;
    }

    private void accept(char c, StringBuilder shown) {
        switch (state) {
            case TEXT -> acceptText(c, shown);
            case ESCAPED, ANNOUNCED -> acceptEscaped(c, shown);
            case SEQUENCE -> acceptSequence(c, shown);
            case STRING -> acceptString(c);
            case STRING_ESCAPED -> {
                state = State.ESCAPED;
                if (c == '\\') {
                    state = State.TEXT;
                } else {
                    acceptEscaped(c, shown);
                }
            }
        }
    }

    private void acceptText(char c, StringBuilder shown) {
        switch (c) {
            case ESCAPE -> begin(State.ESCAPED);
            case CONTROL_SEQUENCE -> begin(State.SEQUENCE);
            // DCS, SOS, OSC, PM, APC, as one character each.
            case 0x90, 0x98, 0x9d, 0x9e, 0x9f -> begin(State.STRING);
            case '\r' -> returned = !atLineStart;
            case '\n', '\t' -> show(c, shown);
            default -> {
                if (!Character.isISOControl(c)) {
                    show(c, shown);
                }
            }
        }
    }

    private void begin(State begun) {
        state = begun;
        length = 0;
        parameters.setLength(0);
        maybeColour = true;
    }

    private void show(char c, StringBuilder shown) {
        if (returned && c != '\n') {
            shown.append('\n');
        }
        returned = false;
        atLineStart = c == '\n';
        if (VisibleText.isReordering(c)) {
            VisibleText.append(shown, c);
        } else {
            shown.append(c);
        }
    }

    private void acceptEscaped(char c, StringBuilder shown) {
        if (state == State.ESCAPED && c == '[') {
            begin(State.SEQUENCE);
        } else if (state == State.ESCAPED && "]PX^_".indexOf(c) >= 0) {
            begin(State.STRING);
        } else if (c >= ' ' && c < '0' && ++length < SEQUENCE_CHARS_MAX) {
            state = State.ANNOUNCED;
        } else if (c >= '0' && c < DELETE) {
            state = State.TEXT;
        } else {
            interrupt(c, shown);
        }
    }

    private void acceptSequence(char c, StringBuilder shown) {
        if (c < ' ' || c >= DELETE || ++length > SEQUENCE_CHARS_MAX) {
            interrupt(c, shown);
        } else if (c < '@') {
            maybeColour &= c >= '0' && c <= ';' && length <= COLOUR_CHARS_MAX;
            if (maybeColour) {
                parameters.append(c);
            }
        } else {
            state = State.TEXT;
            if (c == 'm' && maybeColour && !colourless) {
                coloured = parameters.chars().anyMatch(one -> one >= '1' && one <= '9');
                shown.append(ESCAPE).append('[').append(parameters).append('m');
            }
        }
    }

    private void acceptString(char c) {
        if (c == ESCAPE) {
            state = State.STRING_ESCAPED;
        } else if (c == STRING_END || c == BELL || c == CANCEL || c == SUBSTITUTE || ++length > STRING_CHARS_MAX) {
            state = State.TEXT;
        }
    }

    /** What does not belong there ends it. */
    private void interrupt(char c, StringBuilder shown) {
        state = State.TEXT;
        acceptText(c, shown);
    }
}
