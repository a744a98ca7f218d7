package brig.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Every form of control character and control sequence that a terminal knows (ECMA-48, xterm), and what may be left of them. */
public final class HostileText {
    /** What a terminal may be given: text, newlines, tabs and colours. */
    public static final Pattern HARMLESS = Pattern.compile(
            "(?:[^\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]|\\n|\\t|\\x1b\\[[0-9;:]{0,64}m)*+");

    static final String ESC = "\u001b";
    /** What begins a string: OSC, DCS, APC, PM, SOS, in seven bits and in eight. */
    static final List<String> STRINGS = List.of(
            ESC + "]", ESC + "P", ESC + "_", ESC + "^", ESC + "X", "\u009d", "\u0090", "\u009f", "\u009e", "\u0098");
    /** What ends one. */
    static final List<String> STRING_ENDS = List.of("\u0007", ESC + "\\", "\u009c", "\u0018", "\u001a");

    private static final List<String> CSI = List.of(ESC + "[", "\u009b");
    private static final List<String> PARAMETERS = List.of(
            "",
            "0",
            "1",
            "2;3",
            "38:5:1",
            "?1",
            "?25",
            ">4;2",
            "<1",
            "=1",
            "1$",
            "1 ",
            "?1!",
            "1\"",
            "1'",
            "9".repeat(80));

    private HostileText() {}

    /** Each form alone. */
    public static List<String> forms() {
        List<String> forms = new ArrayList<>();
        for (char c = 0; c < 0xa0; c = c == ' ' - 1 ? 0x7f : (char) (c + 1)) {
            forms.add(String.valueOf(c));
        }
        for (char c = ' '; c < 0x7f; c++) {
            forms.add(ESC + c);
        }
        for (char announced = ' '; announced < '0'; announced++) {
            forms.add(ESC + announced + "B");
            forms.add(ESC + announced + announced + "0");
        }
        for (String begin : CSI) {
            for (String parameters : PARAMETERS) {
                for (char last = '@'; last < 0x7f; last++) {
                    forms.add(begin + parameters + last);
                }
            }
        }
        for (String begin : STRINGS) {
            for (String end : STRING_ENDS) {
                forms.add(begin + "0;title" + end);
                forms.add(begin + "52;c;cm0gLXJm" + end);
                forms.add(begin + "8;;file:///etc/passwd" + end);
                forms.add(begin + "$q\"p" + end);
                forms.add(begin + "+q544e" + end);
            }
        }
        for (int point : List.of(0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069)) {
            forms.add(String.valueOf((char) point));
        }
        return forms;
    }

    /** All forms in one text, each between letters; the last is never ended. */
    public static String all() {
        StringBuilder all = new StringBuilder("begin\n");
        forms().forEach(form -> all.append('<').append(form).append(">\n"));
        return all.append(ESC)
                .append("[31;8m")
                .append("last")
                .append(ESC)
                .append("]0;never ended")
                .toString();
    }
}
