package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on security promises nothing without a test. */
class SecurityPageTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    private static final Pattern NAME = Pattern.compile("`([A-Za-z0-9]+Test)`");
    private static final List<String> HEADS = List.of("| promise |", "| limit |", "| it takes |");
    private static final int PROMISES_LEAST = 20;

    private static Set<String> testClasses() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 12)) {
            return files.filter(file -> file.toString().matches(".*src/(test|e2e)/java/.*"))
                    .map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith("Test.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }
    }

    /** The rows of the tables, without their heads. */
    private static List<String> promises() throws IOException {
        return Files.readAllLines(ROOT.resolve("docs/security.md")).stream()
                .filter(line -> line.startsWith("| ") && HEADS.stream().noneMatch(line::startsWith))
                .toList();
    }

    private static List<String> shownBy(String promise) {
        String last = promise.substring(promise.lastIndexOf('|', promise.length() - 2));
        return NAME.matcher(last).results().map(name -> name.group(1)).toList();
    }

    @Test
    void shouldNameATestForEveryPromise() throws IOException {
        assertTrue(promises().size() >= PROMISES_LEAST, () -> "the tables were found");
        assertEquals(
                List.of(),
                promises().stream()
                        .filter(promise -> shownBy(promise).isEmpty())
                        .toList());
    }

    @Test
    void shouldNameOnlyTestsThatAreThere() throws IOException {
        Set<String> there = testClasses();
        assertEquals(
                List.of(),
                NAME.matcher(Files.readString(ROOT.resolve("docs/security.md")))
                        .results()
                        .map((MatchResult name) -> name.group(1))
                        .filter(name -> !there.contains(name))
                        .toList());
    }
}
