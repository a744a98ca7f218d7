package brig.formats.terminal;

import java.util.List;
import java.util.Random;

/** Output as programs write it, and as no program does: text of all widths, and every function with likely numbers. */
final class RandomOutput {
    private static final String ESC = "\u001b";
    private static final List<String> TEXTS = List.of(
            "a",
            "Hello, terminal",
            "naïve",
            "漢字",
            "🙂",
            "e\u0301",
            "\u0301",
            "👩\u200d💻",
            "─│┌",
            "qqxx#",
            " ",
            "\t",
            "\ufe0f",
            "xyzxyzxyzxyzxyzxyzxyz",
            "\ud83d",
            "\u00ad");
    private static final List<String> CONTROLS = List.of(
            "\n",
            "\r",
            "\r\n",
            "\b",
            "\t",
            "\u000e",
            "\u000f",
            "\u0007",
            "\u007f",
            "\u0084",
            "\u0085",
            "\u0088",
            "\u008d",
            ESC + "7",
            ESC + "8",
            ESC + "D",
            ESC + "E",
            ESC + "H",
            ESC + "M",
            ESC + "=",
            ESC + ">",
            ESC + "n",
            ESC + "o",
            ESC + "(0",
            ESC + "(B",
            ESC + ")0",
            ESC + ")A",
            ESC + "*0");
    private static final String FINALS = "@ABCDEFGHIJKLMPSTXZ`abdefgrsu";
    private static final List<String> MODES = List.of(
            "?1", "?5", "?6", "?7", "?12", "?25", "?47", "?66", "?9", "?1000", "?1002", "?1003", "?1004", "?1005",
            "?1006", "?1007", "?1015", "?1016", "?1047", "?1048", "?1049", "?2004", "?2026", "4", "20");
    private static final List<String> COLOURS = List.of(
            "",
            "0",
            "1",
            "2",
            "3",
            "4",
            "4:3",
            "4:0",
            "5",
            "7",
            "8",
            "9",
            "21",
            "22",
            "23",
            "24",
            "25",
            "27",
            "28",
            "29",
            "31",
            "39",
            "42",
            "49",
            "53",
            "55",
            "91",
            "105",
            "38;5;9",
            "38:5:200",
            "48;5;17",
            "38;2;1;2;3",
            "48:2::9:8:7",
            "48:2:9:8:7",
            "58:2::4:5:6",
            "58;5;3",
            "59",
            "1;3;38;5;1;48;5;2;9");
    private static final List<String> OTHERS = List.of(
            ESC + "[!p",
            ESC + "[2 q",
            ESC + "[6 q",
            ESC + "[0 q",
            ESC + "[>4;2m",
            ESC + "[>4m",
            ESC + "[>1u",
            ESC + "[>5u",
            ESC + "[<u",
            ESC + "[<3u",
            ESC + "[=3;2u",
            ESC + "[=1u",
            ESC + "[c",
            ESC + "[6n",
            ESC + "[?u",
            ESC + "]11;?\u0007",
            ESC + "]8;;http://x" + ESC + "\\",
            ESC + "P$qm" + ESC + "\\",
            ESC + "_x" + ESC + "\\",
            ESC + "[?2026$p",
            ESC + "[3\n1m",
            ESC + "[3\u0018",
            ESC + "[1;2;3;4;5x",
            ESC + "[?3:");
    /** What a person's terminal gets in another form, or not at all. */
    private static final List<String> UNFILTERED =
            List.of(ESC + "c", ESC + "[3J", ESC + "]0;title é\u0007", ESC + "]2;other" + ESC + "\\");

    private final Random random;
    private final int columns;
    private final int rows;
    private final boolean filtered;

    /** @param filtered whether a {@link TerminalFilter} leaves all of it equal */
    RandomOutput(Random random, int columns, int rows, boolean filtered) {
        this.random = random;
        this.columns = columns;
        this.rows = rows;
        this.filtered = filtered;
    }

    String next(int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pieces; i++) {
            text.append(piece());
        }
        return text.toString();
    }

    private String of(List<String> list) {
        return list.get(random.nextInt(list.size()));
    }

    private int number(int most) {
        return random.nextInt(6) == 0 ? random.nextInt(most * 3 + 2) : random.nextInt(most + 1);
    }

    private String piece() {
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> of(TEXTS);
            case 5 -> "x".repeat(number(columns));
            case 6, 7 -> of(CONTROLS);
            case 8, 9 -> ESC + "[" + (1 + number(rows)) + ";" + (1 + number(columns)) + "H";
            case 10, 11, 12 -> function();
            case 13 -> ESC + "[" + (1 + number(rows)) + ";" + (1 + number(rows)) + "r";
            case 14, 15, 16 -> ESC + "[" + of(COLOURS) + "m";
            case 17 -> ESC + "[" + of(MODES) + (random.nextBoolean() ? "h" : "l");
            case 18 -> filtered ? "" : of(OTHERS);
            default -> filtered ? "漢e\u0301" + ESC + "[" + (1 + number(columns)) + "b" : of(UNFILTERED);
        };
    }

    private String function() {
        char last = FINALS.charAt(random.nextInt(FINALS.length()));
        if (last == 'g') {
            return ESC + (random.nextInt(4) == 0 ? "[3g" : "[g");
        }
        if (last == 'J' || last == 'K') {
            return ESC + "[" + random.nextInt(filtered ? 3 : 5) + last;
        }
        boolean none = random.nextInt(3) == 0 || last == 's' || last == 'u';
        return ESC + "[" + (none ? "" : number(columns)) + last;
    }
}
