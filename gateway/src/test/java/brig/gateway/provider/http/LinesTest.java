package brig.gateway.provider.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinesTest {
    private final List<String> got = new ArrayList<>();
    private final Lines lines = new Lines(line -> got.add(new String(line, UTF_8)));

    @Test
    void shouldCutWhereverThePiecesBegin() {
        byte[] all = "one\n\ntwo\nthree".getBytes(UTF_8);
        for (int first = 0; first <= all.length; first++) {
            for (int second = first; second <= all.length; second++) {
                got.clear();
                lines.accept(Arrays.copyOfRange(all, 0, first));
                lines.accept(Arrays.copyOfRange(all, first, second));
                lines.accept(Arrays.copyOfRange(all, second, all.length));
                lines.finish();
                assertEquals(List.of("one", "two", "three"), got);
            }
        }
    }

    @Test
    void shouldLeaveOutALineThatIsTooLong() {
        byte[] piece = new byte[64 * 1024];
        Arrays.fill(piece, (byte) 'x');
        lines.accept("first\n".getBytes(UTF_8));
        for (int bytes = 0; bytes <= Lines.LINE_BYTES_MAX; bytes += piece.length) {
            lines.accept(piece);
        }
        lines.accept("\nlast\n".getBytes(UTF_8));
        assertEquals(List.of("first", "last"), got);
    }
}
