package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The decisions of {@code docs/decisions}, their index, and the sources that they name agree. */
class DecisionsTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    private static final Path FOLDER = ROOT.resolve("docs/decisions");
    private static final Pattern HEAD = Pattern.compile("# (\\d{4})\\. (\\S.*)\\n\\n- Date: (\\d{4}-\\d{2}-\\d{2})\\n"
            + "(?:- Updated: \\d{4}-\\d{2}-\\d{2}\\n)?- Area: (\\S.*)\\n\\n");
    private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^):#]+)");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern CITED = Pattern.compile("<p>Decisions? (\\d{4}(?:, \\d{4})*)\\.");
    private static final String GOVERNS = "## Governs";
    private static final Set<List<String>> SECTIONS = Set.of(
            List.of("Context", "Decision", "Consequences", "Governs"),
            List.of("Context", "Decision", "Consequences", "Measured", "Governs"));

    /** One decision; {@code row} is its line in the index. */
    private record Decision(String file, String number, String area, String row, String text) {
        static Decision read(Path path) {
            String file = String.valueOf(path.getFileName());
            String text = readString(path);
            Matcher head = HEAD.matcher(text);
            assertTrue(head.lookingAt(), () -> file + " does not begin with its title, date and area");
            String row = "| [" + head.group(1) + "](" + file + ") | " + head.group(2) + " | " + head.group(3) + " |";
            return new Decision(file, head.group(1), head.group(4), row, text);
        }
    }

    private static String readString(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Decision> decisions() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> !file.endsWith("README.md"))
                    .sorted()
                    .map(Decision::read)
                    .toList();
        }
    }

    /** The names of all files that are no output of the build. */
    private static Set<String> sources() throws IOException {
        Set<String> names = new HashSet<>();
        Files.walkFileTree(ROOT.toAbsolutePath().normalize(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = String.valueOf(folder.getFileName());
                boolean output = name.equals("build") && !folder.getParent().endsWith("src");
                return output || name.equals("node_modules") || name.equals(".git") || name.equals(".gradle")
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                names.add(String.valueOf(file.getFileName()));
                return FileVisitResult.CONTINUE;
            }
        });
        return names;
    }

    @Test
    void shouldNumberDecisionsWithoutGap() throws IOException {
        List<String> numbers = IntStream.rangeClosed(1, decisions().size())
                .mapToObj("%04d"::formatted)
                .toList();
        assertEquals(numbers, decisions().stream().map(Decision::number).toList());
        assertEquals(
                numbers,
                decisions().stream()
                        .map(decision -> decision.file().substring(0, 4))
                        .toList());
    }

    /** A difference shows the lines that the index must have. */
    @Test
    void shouldListEachDecisionOnceByAreaInOrder() throws IOException {
        Map<String, List<String>> expected = new TreeMap<>();
        for (Decision decision : decisions()) {
            expected.computeIfAbsent(decision.area(), area -> new ArrayList<>()).add(decision.row());
        }
        Map<String, List<String>> listed = new TreeMap<>();
        List<String> rows = List.of();
        for (String line : Files.readAllLines(FOLDER.resolve("README.md"))) {
            if (line.startsWith("### ")) {
                rows = listed.computeIfAbsent(line.substring("### ".length()), area -> new ArrayList<>());
            } else if (line.startsWith("| [")) {
                rows.add(line);
            }
        }
        assertEquals(expected, listed);
    }

    @Test
    void shouldHaveTheSectionsOfADecision() throws IOException {
        for (Decision decision : decisions()) {
            List<String> sections = SECTION.matcher(decision.text())
                    .results()
                    .map(section -> section.group(1))
                    .toList();
            assertTrue(SECTIONS.contains(sections), () -> decision.file() + " has " + sections);
        }
    }

    @Test
    void shouldGovernOnlyWhatIsThere() throws IOException {
        Set<String> sources = sources();
        List<String> wrong = new ArrayList<>();
        for (Decision decision : decisions()) {
            String governed = decision.text().substring(decision.text().indexOf(GOVERNS) + GOVERNS.length());
            List<String> names = NAME.matcher(governed)
                    .results()
                    .map((MatchResult name) -> name.group(1))
                    .toList();
            assertTrue(!names.isEmpty(), decision::file);
            names.stream()
                    .filter(name -> !sources.contains(name) && !sources.contains(name + ".java"))
                    .forEach(name -> wrong.add(decision.file() + ": " + name));
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldLinkOnlyToFilesThatAreThere() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            files.forEach(file -> LINK.matcher(readString(file))
                    .results()
                    .map(link -> link.group(1))
                    .filter(link -> !Files.exists(FOLDER.resolve(link)))
                    .forEach(link -> wrong.add(file.getFileName() + ": " + link)));
        }
        assertEquals(List.of(), wrong);
    }

    /** A class says which decisions it carries out: {@code Decision 0012.} or {@code Decisions 0012, 0019.} */
    @Test
    void shouldBeNamedInTheSourcesThatTheyGovern() throws IOException {
        Set<String> named = new HashSet<>();
        Set<String> classes = new HashSet<>();
        for (Path file : SourceTree.files(".java")) {
            if (!file.toString().contains("/src/main/java/")) {
                continue;
            }
            classes.add(String.valueOf(file.getFileName()).replace(".java", ""));
            CITED.matcher(readString(ROOT.resolve(file)))
                    .results()
                    .forEach(cited -> named.addAll(List.of(cited.group(1).split(", ", -1))));
        }
        List<String> wrong = new ArrayList<>();
        Set<String> numbers = new HashSet<>();
        for (Decision decision : decisions()) {
            numbers.add(decision.number());
            String governs = decision.text().substring(decision.text().indexOf(GOVERNS));
            boolean governsClasses =
                    NAME.matcher(governs).results().map(name -> name.group(1)).anyMatch(classes::contains);
            if (governsClasses && !named.contains(decision.number())) {
                wrong.add(decision.file() + " is named by none of its classes");
            }
        }
        named.stream()
                .filter(number -> !numbers.contains(number))
                .forEach(number -> wrong.add("no decision " + number));
        assertEquals(List.of(), wrong);
    }
}
