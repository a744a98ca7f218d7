package brig.cli.terminal;

import brig.protocol.VisibleText;

/**
 * Reduces untrusted output to what a terminal may get: text, newlines, tabs and colours (SGR). It parses escape
 * sequences as terminals do (ECMA-48 and xterm), so that whole sequences are removed, wherever reads and frames split
 * them. A sequence passes whole or not at all, so a parsing error loses a few letters and never sends a command.
 *
 * <p>A carriage return becomes a line end, as in build logs: moving back could replace text that a person is about to
 * read. Characters that reorder others are escaped.
 *
 * <p>Decision 0112.
 */
final class ContentFilter {
    static final String RESET = "\u001b[0m";

    /** Maximum length between {@code ESC [} and {@code m}: more than any colour needs. */
    private static final int COLOUR_CHARS_MAX = 64;
    /** A longer sequence is invalid: the rest is text again. */
    private static final int SEQUENCE_CHARS_MAX = 256;
    /** Room for a title, a link, a short picture. A longer string must not hide what follows. */
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
        /** After ESC. */
        ESCAPED,
        /** After ESC and an intermediate character, such as {@code (}. */
        ANNOUNCED,
        /** After ESC [. */
        SEQUENCE,
        /** Inside OSC, DCS, APC, PM or SOS. */
        STRING,
        /** After an ESC within a string, which ends it in any case. */
        STRING_ESCAPED
    }

    private State state = State.TEXT;
    /** Current length of the sequence or string. */
    private int length;

    private final StringBuilder parameters = new StringBuilder();
    private boolean maybeColour;
    private boolean coloured;
    private boolean colourless;
    private boolean atLineStart = true;
    /** After a carriage return: the line ends, unless a newline ends it anyway. */
    private boolean returned;

    /** Appends the permitted part of the next text. */
    void filter(CharSequence text, StringBuilder shown) {
        for (int i = 0; i < text.length(); i++) {
            accept(text.charAt(i), shown);
        }
    }

    /** Ends an unfinished sequence: the next text has another source. */
    void finish(StringBuilder shown) {
        state = State.TEXT;
        returned = false;
        uncolour(shown);
    }

    /** Resets colours. */
    void uncolour(StringBuilder shown) {
        if (coloured) {
            shown.append(RESET);
            coloured = false;
        }
    }

    /** Removes colours from now on. */
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

    /** An invalid character ends the sequence. */
    private void interrupt(char c, StringBuilder shown) {
        state = State.TEXT;
        acceptText(c, shown);
    }
}
