package brig.protocol.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The specification and the code say the same. */
class ProtocolTextTest {
    private static final Pattern ROW =
            Pattern.compile("(\\| `[A-Z0-9_]+` \\| \\d+ \\| \\d+ \\| \\d+ \\| (?:yes|no) \\| [A-Z_]+ \\|) \\S.* \\|");

    @Test
    void shouldListEveryErrorCodeWhenTheTableIsRead() {
        List<String> rows = ProtocolText.read()
                .lines()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .map(row -> row.group(1))
                .toList();
        List<String> codes = Stream.of(ErrorCode.values())
                .map(code -> String.format(
                        "| `%s` | %d | %d | %d | %s | %s |",
                        code,
                        code.httpStatus(),
                        code.closeCode(),
                        code.exitCode(),
                        code.isRetryable() ? "yes" : "no",
                        code.action()))
                .toList();
        assertEquals(codes, rows);
    }

    @Test
    void shouldExplainEveryActionWhenTheTableIsRead() {
        for (ErrorCode.Action action : ErrorCode.Action.values()) {
            assertTrue(ProtocolText.read().contains("\n| " + action + " | "), action.toString());
        }
    }

    @Test
    void shouldNameEveryFrameTypeOfTheCode() {
        for (FrameType type : FrameType.values()) {
            assertTrue(
                    type == FrameType.UNKNOWN || ProtocolText.read().contains("`" + type.wireName() + "`"),
                    type.toString());
        }
    }

    @Test
    void shouldStateTheLimitsOfTheCode() {
        assertStates("a frame has at most %s bytes", grouped(Limits.FRAME_BYTES_MAX));
        assertStates("a message or request to Brig at most %s.", grouped(Limits.MESSAGE_BYTES_MAX));
        assertStates("nested at most %s deep", String.valueOf(Limits.JSON_DEPTH_MAX));
    }

    private static void assertStates(String sentence, String value) {
        String text = ProtocolText.read().replace('\n', ' ').replaceAll(" +", " ");
        assertTrue(text.contains(sentence.replace("%s", value)), sentence);
    }

    private static String grouped(int number) {
        return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    }
}
