package brig.formats.terminal;

/**
 * Colours and attributes, as three numbers that each cell has too. A colour is 24 bits and its kind: none, one of 16, one
 * of 256, or RGB; the 16 are told from the first of the 256, because terminals show them in other ways when bold.
 */
final class Pen {
    static final int COLOUR = 0x3ffffff;
    private static final int KIND = 0x3000000;
    private static final int BASIC = 0x1000000;
    private static final int INDEXED = 0x2000000;
    private static final int RGB = 0x3000000;

    /** Of {@link #front}. */
    private static final int BOLD = 1 << 26;

    private static final int BLINKING = 1 << 27;
    private static final int INVERSE = 1 << 28;
    private static final int HIDDEN = 1 << 29;
    private static final int STRUCK = 1 << 30;
    private static final int OVERLINED = 1 << 31;

    /** Of {@link #back}. */
    private static final int ITALIC = 1 << 26;

    private static final int DIM = 1 << 27;
    private static final int UNDERLINE_SHIFT = 28;
    private static final int UNDERLINED = 7 << UNDERLINE_SHIFT;
    private static final int UNDERLINE_STYLES = 5;

    /** The colour of text, and attributes. */
    int front;
    /** The colour of the background, and attributes. */
    int back;
    /** The colour of the underline. */
    int under;

    void clear() {
        front = 0;
        back = 0;
        under = 0;
    }

    void copy(Pen other) {
        front = other.front;
        back = other.back;
        under = other.under;
    }

    boolean isPlain() {
        return (front | back | under) == 0;
    }

    private static int coloured(int attributes, int colour) {
        return (attributes & ~COLOUR) | colour;
    }

    /** Takes SGR. */
    void select(Parameters parameters) {
        if (parameters.count() == 0) {
            clear();
        }
        for (int i = 0; i < parameters.count(); i++) {
            int taken = switch (parameters.value(i)) {
                case 4 -> underline(parameters, i);
                case 38, 48, 58 -> colour(parameters, i);
                default -> {
                    select(parameters.value(i));
                    yield 0;
                }
            };
            i += taken;
            while (parameters.isJoined(i + 1)) {
                i++;
            }
        }
    }

    private int underline(Parameters parameters, int at) {
        int style = parameters.isJoined(at + 1) ? parameters.exact(at + 1) : 1;
        setUnderline(style < 0 || style > UNDERLINE_STYLES ? 1 : style);
        return 0;
    }

    private void setUnderline(int style) {
        back = (back & ~UNDERLINED) | (style << UNDERLINE_SHIFT);
    }

    private int colour(Parameters parameters, int at) {
        int kind = parameters.value(at + 1);
        boolean joined = parameters.isJoined(at + 1);
        int first = at + 2;
        if (joined && kind == 2 && parameters.isJoined(at + 5)) {
            // The place of the colour space, which nobody names.
            first++;
        }
        int colour = switch (kind) {
            case 2 ->
                RGB
                        | ((parameters.value(first) & 0xff) << 16)
                        | ((parameters.value(first + 1) & 0xff) << 8)
                        | (parameters.value(first + 2) & 0xff);
            case 5 -> INDEXED | (parameters.value(first) & 0xff);
            default -> 0;
        };
        if (colour != 0) {
            switch (parameters.value(at)) {
                case 38 -> front = coloured(front, colour);
                case 48 -> back = coloured(back, colour);
                default -> under = colour;
            }
        }
        return joined ? 0 : kind == 2 ? 4 : kind == 5 ? 2 : 1;
    }

    private void select(int attribute) {
        switch (attribute) {
            case 0 -> clear();
            case 1 -> front |= BOLD;
            case 2 -> back |= DIM;
            case 3 -> back |= ITALIC;
            case 5 -> front |= BLINKING;
            case 7 -> front |= INVERSE;
            case 8 -> front |= HIDDEN;
            case 9 -> front |= STRUCK;
            case 21 -> setUnderline(2);
            case 22 -> {
                front &= ~BOLD;
                back &= ~DIM;
            }
            case 23 -> back &= ~ITALIC;
            case 24 -> setUnderline(0);
            case 25 -> front &= ~BLINKING;
            case 27 -> front &= ~INVERSE;
            case 28 -> front &= ~HIDDEN;
            case 29 -> front &= ~STRUCK;
            case 39 -> front &= ~COLOUR;
            case 49 -> back &= ~COLOUR;
            case 53 -> front |= OVERLINED;
            case 55 -> front &= ~OVERLINED;
            case 59 -> under = 0;
            default -> basic(attribute);
        }
    }

    private void basic(int attribute) {
        int index = attribute % 10;
        if (index > 7) {
            return;
        }
        switch (attribute / 10) {
            case 3 -> front = coloured(front, BASIC | index);
            case 4 -> back = coloured(back, BASIC | index);
            case 9 -> front = coloured(front, BASIC | (index + 8));
            case 10 -> back = coloured(back, BASIC | (index + 8));
            default -> {}
        }
    }

    /** Appends the parameters of SGR that make a pen of any kind so. */
    static void append(StringBuilder text, int front, int back, int under) {
        text.append('0');
        flag(text, front & BOLD, ";1");
        flag(text, back & DIM, ";2");
        flag(text, back & ITALIC, ";3");
        int style = (back & UNDERLINED) >>> UNDERLINE_SHIFT;
        if (style == 1) {
            text.append(";4");
        } else if (style > 1) {
            text.append(";4:").append(style);
        }
        flag(text, front & BLINKING, ";5");
        flag(text, front & INVERSE, ";7");
        flag(text, front & HIDDEN, ";8");
        flag(text, front & STRUCK, ";9");
        flag(text, front & OVERLINED, ";53");
        if ((front & COLOUR) != 0) {
            colour(text.append(';'), front, 30);
        }
        if ((back & COLOUR) != 0) {
            colour(text.append(';'), back, 40);
        }
        if (under != 0) {
            colour(text.append(';'), under, 50);
        }
    }

    /** Appends the shortest SGR that turns this pen into the other, and nothing if they are equal. */
    void become(StringBuilder text, int newFront, int newBack, int newUnder) {
        if (front == newFront && back == newBack && under == newUnder) {
            return;
        }
        text.append("\u001b[");
        boolean coloursOnly = (((front ^ newFront) | (back ^ newBack)) & ~COLOUR) == 0 && under == newUnder;
        if ((newFront | newBack | newUnder) != 0 && coloursOnly) {
            if (front != newFront) {
                colour(text, newFront, 30);
            }
            if (back != newBack) {
                colour(front != newFront ? text.append(';') : text, newBack, 40);
            }
        } else if ((newFront | newBack | newUnder) != 0) {
            append(text, newFront, newBack, newUnder);
        }
        text.append('m');
        front = newFront;
        back = newBack;
        under = newUnder;
    }

    private static void flag(StringBuilder text, int set, String parameter) {
        if (set != 0) {
            text.append(parameter);
        }
    }

    /** @param base 30 for text, 40 for the background, 50 for the underline */
    private static void colour(StringBuilder text, int colour, int base) {
        int value = colour & 0xffffff;
        switch (colour & KIND) {
            case BASIC -> text.append(value < 8 ? base + value : base + 60 + value - 8);
            case INDEXED -> text.append(base + 8).append(";5;").append(value);
            case RGB ->
                text.append(base + 8)
                        .append(";2;")
                        .append(value >> 16)
                        .append(';')
                        .append(value >> 8 & 0xff)
                        .append(';')
                        .append(value & 0xff);
            default -> text.append(base + 9);
        }
    }
}
