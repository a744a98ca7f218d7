package brig.client;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cuts bytes into the JSON objects of their lines, however they were split on their way. */
final class LineReader {
    private final int bytesMax;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    /** @param bytesMax of a line, with its end */
    LineReader(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** An object, and the length of its line. */
    record Line(Map<String, @Nullable Object> object, int bytes) {}

    /** Whole lines, and what is wrong with what comes behind them. */
    record Lines(List<Line> lines, @Nullable BrigException fault) {}

    Lines read(byte[] piece) {
        List<Line> lines = new ArrayList<>();
        try {
            int begin = 0;
            for (int i = 0; i < piece.length; i++) {
                if (piece[i] == '\n') {
                    keep(piece, begin, i + 1);
                    begin = i + 1;
                    byte[] bytes = line.toByteArray();
                    line.reset();
                    if (!isEmpty(bytes)) {
                        lines.add(new Line(Json.object(bytes), bytes.length));
                    }
                }
            }
            keep(piece, begin, piece.length);
            return new Lines(lines, null);
        } catch (BrigException e) {
            return new Lines(lines, e);
        }
    }

    private void keep(byte[] piece, int begin, int end) {
        if (line.size() + end - begin > bytesMax) {
            throw new BrigException("PROTOCOL_VIOLATION", "Brig sent a line of more than " + bytesMax + " bytes");
        }
        line.write(piece, begin, end - begin);
    }

    private static boolean isEmpty(byte[] line) {
        return line.length == 1 || (line.length == 2 && line[0] == '\r');
    }
}
