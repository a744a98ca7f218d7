package brig.protocol.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the scripts in {@code src/test/resources/golden}. After a wanted change
 * {@code ./gradlew -Dgolden.update=true :protocol:test -Ptests=Golden} writes the new output into them; then
 * read the diff.
 */
class GoldenScriptTest {
    private static final Path FOLDER = Path.of("src/test/resources/golden");
    private static final boolean UPDATE = Boolean.getBoolean("golden.update");

    @TestFactory
    Stream<DynamicTest> shouldSayWhatTheScriptExpects() throws IOException {
        return files().map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file)));
    }

    /** Where reads end is no part of a stream: a decoder says the same when bytes come one at a time. */
    @TestFactory
    Stream<DynamicTest> shouldSayTheSameWhenBytesComeOneAtATime() throws IOException {
        return files().map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> {
            for (GoldenScript.Case one : GoldenScript.parse(Files.readAllLines(file))) {
                if (!one.command().equals("chunks")) {
                    List<String> output = ScriptRunner.run(one, singleBytes(one.reads()));
                    assertEquals(one.output(), output, one.head().toString());
                }
            }
        }));
    }

    @Test
    void shouldReadBackWhatItWroteWhenBytesAreOdd() {
        byte[] bytes = Notation.bytes("a<b> <3C><00><FF><C3><é*30><LF><CR*2><\\u0001*40>\u20ac");
        assertEquals(
                "a<3C>b> <3C><00><FF><C3><é*30><LF><CR><CR><\\u0001*40>\u20ac", Notation.text(bytes, 0, bytes.length));
        assertArrayEquals(bytes, Notation.bytes(Notation.text(bytes, 0, bytes.length)));
        assertEquals(2, "\u00e9".getBytes(StandardCharsets.UTF_8).length);
    }

    private static Stream<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList().stream();
        }
    }

    private static void check(Path file) throws IOException, InterruptedException {
        List<String> expected = Files.readAllLines(file);
        List<GoldenScript.Case> cases = new ArrayList<>();
        for (GoldenScript.Case one : GoldenScript.parse(expected)) {
            cases.add(new GoldenScript.Case(one.head(), ScriptRunner.run(one, one.reads())));
        }
        List<String> actual = GoldenScript.format(cases);
        if (UPDATE) {
            Files.write(file, actual);
        } else if (!actual.equals(expected)) {
            fail(file + " differs (- expected, + actual):\n" + diff(expected, actual));
        }
    }

    /** The lines that differ, between what both have at the beginning and at the end. */
    private static String diff(List<String> expected, List<String> actual) {
        int same = 0;
        int shorter = Math.min(expected.size(), actual.size());
        while (same < shorter && expected.get(same).equals(actual.get(same))) {
            same++;
        }
        int tail = 0;
        while (tail < shorter - same
                && expected.get(expected.size() - 1 - tail).equals(actual.get(actual.size() - 1 - tail))) {
            tail++;
        }
        StringBuilder out = new StringBuilder("at line " + (same + 1) + "\n");
        expected.subList(same, expected.size() - tail)
                .forEach(line -> out.append("- ").append(line).append('\n'));
        actual.subList(same, actual.size() - tail)
                .forEach(line -> out.append("+ ").append(line).append('\n'));
        return out.toString();
    }

    private static List<byte[]> singleBytes(List<byte[]> reads) {
        List<byte[]> single = new ArrayList<>();
        for (byte[] read : reads) {
            for (byte b : read) {
                single.add(new byte[] {b});
            }
        }
        return single;
    }
}
