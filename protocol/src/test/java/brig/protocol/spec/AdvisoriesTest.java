package brig.protocol.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No version that the build resolves, of any module or of what it brings along, is one that an advisory names. */
class AdvisoriesTest {
    private static final Path LIST = Path.of("../advisories.tsv");
    private static final Path RESOLVED = Path.of("../build/resolved-versions.tsv");

    /** A range of versions of an artifact that somebody published a fault of. */
    private record Advisory(
            String artifact, String from, String fixed, String id, String severity, String published, String note) {
        static Advisory read(String line) {
            String[] cells = line.split("\t", -1);
            assertEquals(7, cells.length, line);
            return new Advisory(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]);
        }

        boolean names(Resolved resolved) {
            boolean same = artifact.endsWith(":*")
                    ? resolved.artifact().startsWith(artifact.substring(0, artifact.length() - 1))
                    : artifact.equals(resolved.artifact());
            return same && compare(from, resolved.version()) <= 0 && compare(resolved.version(), fixed) < 0;
        }
    }

    private record Resolved(String artifact, String version) {
        static Resolved read(String line) {
            String[] cells = line.split("\t", -1);
            return new Resolved(cells[0], cells[1]);
        }
    }

    /** By their numbers, piece by piece; what is no number, such as Final, says nothing. */
    private static int compare(String one, String other) {
        List<Integer> left = numbers(one);
        List<Integer> right = numbers(other);
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            int difference = (i < left.size() ? left.get(i) : 0) - (i < right.size() ? right.get(i) : 0);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static List<Integer> numbers(String version) {
        return Stream.of(version.split("[.-]"))
                .filter(piece -> piece.matches("\\d{1,9}"))
                .map(Integer::valueOf)
                .toList();
    }

    private static List<Advisory> known() throws IOException {
        return Files.readAllLines(LIST).stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .map(Advisory::read)
                .toList();
    }

    private static List<Resolved> resolved() throws IOException {
        return Files.readAllLines(RESOLVED).stream().map(Resolved::read).toList();
    }

    /** A line for each version that an advisory names: what it is, why, and what to take. */
    private static List<String> faults(List<Advisory> known, List<Resolved> resolved) {
        List<String> faults = new ArrayList<>();
        for (Resolved artifact : resolved) {
            known.stream()
                    .filter(advisory -> advisory.names(artifact))
                    .forEach(advisory -> faults.add(artifact.artifact() + " " + artifact.version() + ": "
                            + advisory.id() + " (" + advisory.severity() + ", " + advisory.published() + "), take "
                            + advisory.fixed() + " or later. " + advisory.note()));
        }
        return faults.stream().distinct().toList();
    }

    @Test
    void shouldResolveNoVersionThatAnAdvisoryNames() throws IOException {
        assertEquals("", String.join("\n", faults(known(), resolved())));
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty:netty-handler, 4.2.13.Final, CVE-2026-45416",
        "io.netty:netty-codec-socks, 4.2.15.Final, CVE-2026-56819",
        "com.fasterxml.jackson.core:jackson-core, 2.20.1, GHSA-r7wm-3cxj-wff9",
        "com.fasterxml.jackson.core:jackson-core, 2.22.0, GHSA-r7wm-3cxj-wff9",
        "ch.qos.logback:logback-core, 1.5.21, CVE-2026-13006"
    })
    void shouldNameTheArtifactTheAdvisoryAndTheCure(String artifact, String version, String id) throws IOException {
        List<String> faults = faults(known(), List.of(new Resolved(artifact, version)));
        assertTrue(
                faults.stream()
                        .anyMatch(fault -> fault.matches("\\Q" + artifact + " " + version + ": " + id
                                + "\\E \\([a-z ]+, [0-9-]{10}\\), take [0-9.]+(Final)? or later\\. .+")),
                faults::toString);
    }

    @Test
    void shouldCompareNumbersAndNotTexts() throws IOException {
        List<Advisory> one = List.of(new Advisory("a:b", "1.9", "1.10.2", "X-1", "low", "2026-01-01", "note"));
        Stream<String> found = Stream.of("1.8", "1.9", "1.9.9.Final", "1.10", "1.10.1-jre", "1.10.2", "1.10.2.1", "2.0")
                .filter(version ->
                        !faults(one, List.of(new Resolved("a:b", version))).isEmpty());
        assertEquals(List.of("1.9", "1.9.9.Final", "1.10", "1.10.1-jre"), found.toList());
        assertEquals(List.of(), faults(one, List.of(new Resolved("a:bc", "1.9"))));
    }

    @Test
    void shouldLookAtWhatShipsWithAllThatItBrings() throws IOException {
        List<String> artifacts = resolved().stream().map(Resolved::artifact).toList();
        // One that is asked for, two that only Vert.x and Logback ask for, one of the page.
        assertTrue(
                artifacts.containsAll(List.of(
                        "io.vertx:vertx-core",
                        "io.netty:netty-codec-http2",
                        "ch.qos.logback:logback-core",
                        "npm:lit-html")),
                artifacts::toString);
        assertEquals(
                1,
                resolved().stream()
                        .filter(one -> one.artifact().startsWith("io.netty:"))
                        .map(Resolved::version)
                        .collect(Collectors.toSet())
                        .size(),
                "parts of one Netty");
    }

    @Test
    void shouldSayOfWhenItIs() throws IOException {
        String head = Files.readAllLines(LIST).getFirst();
        LocalDate date = LocalDate.parse(head.substring(head.length() - 11, head.length() - 1));
        for (Advisory advisory : known()) {
            assertTrue(!LocalDate.parse(advisory.published()).isAfter(date), advisory::toString);
        }
    }
}
