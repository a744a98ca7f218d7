package brig.protocol.spawn;

import brig.protocol.record.Default;
import brig.protocol.record.Range;

/** The size of a terminal, in characters. */
public record TerminalSize(
        @Default("80") @Range(min = 1, max = COLS_MAX) int cols,
        @Default("24") @Range(min = 1, max = ROWS_MAX) int rows) {
    public static final int COLS_MAX = 1000;
    public static final int ROWS_MAX = 500;
}
