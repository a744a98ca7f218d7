package brig.cli.terminal;

import brig.protocol.VisibleText;

/** A line of Brig's own output. Text from elsewhere is escaped, and only Brig's colours are used. */
public final class StyledLine {
    private final String shown;

    private StyledLine(String shown) {
        this.shown = shown;
    }

    /** A line without colours. */
    public static StyledLine of(String text) {
        return new StyledLine(VisibleText.of(text));
    }

    /** This line with that one appended. */
    public StyledLine and(StyledLine next) {
        return new StyledLine(shown + next.shown);
    }

    /** This line in a colour. */
    public StyledLine in(Colour colour) {
        return new StyledLine("\u001b[" + colour.parameter + "m" + shown + ContentFilter.RESET);
    }

    /** Its width in columns; only before it is coloured. */
    int width() {
        return shown.length();
    }

    @Override
    public String toString() {
        return shown;
    }

    /** The colours of Brig's own output. */
    public enum Colour {
        BOLD(1),
        DIM(2),
        RED(31),
        GREEN(32),
        YELLOW(33),
        /** What is chosen. */
        REVERSED(7);

        private final int parameter;

        Colour(int parameter) {
            this.parameter = parameter;
        }
    }
}
