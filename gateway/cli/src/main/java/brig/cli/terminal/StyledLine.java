package brig.cli.terminal;

import brig.protocol.VisibleText;

/** A line in Brig's own words. What came from elsewhere is visible in it whatever it holds, and the colours are Brig's. */
public final class StyledLine {
    private final String shown;

    private StyledLine(String shown) {
        this.shown = shown;
    }

    /** A line without colours. */
    public static StyledLine of(String text) {
        return new StyledLine(VisibleText.of(text));
    }

    /** This line, and that one behind it. */
    StyledLine and(StyledLine next) {
        return new StyledLine(shown + next.shown);
    }

    /** This line in a colour. */
    StyledLine in(Colour colour) {
        return new StyledLine("\u001b[" + colour.parameter + "m" + shown + ContentFilter.RESET);
    }

    /** How many columns it takes; counted before it is coloured. */
    int width() {
        return shown.length();
    }

    @Override
    public String toString() {
        return shown;
    }

    /** The colours of Brig's own words. */
    enum Colour {
        DIM(2),
        RED(31),
        GREEN(32),
        YELLOW(33);

        private final int parameter;

        Colour(int parameter) {
            this.parameter = parameter;
        }
    }
}
