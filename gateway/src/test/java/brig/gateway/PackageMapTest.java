package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The package map of docs/architecture.md has a row for each package of each module, and no other row. */
class PackageMapTest {
    private static final String SOURCES = "/src/main/java/";
    private static final Pattern HEADING = Pattern.compile("### `(\\S+)`");
    private static final Pattern ROW = Pattern.compile("\\| `(brig[\\w.]*)` \\|(.*)\\|");
    private static final int DESCRIPTION_LETTERS_MIN = 20;

    /** Such as {@code gateway: brig.gateway.stream}; a nested module is a path, {@code worker-agent/formats}. */
    private static Set<String> packages() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : SourceTree.files(".java")) {
            String folder = String.valueOf(file.getParent());
            int at = folder.indexOf(SOURCES);
            if (at > 0) {
                String name = folder.substring(at + SOURCES.length()).replace('/', '.');
                found.add(folder.substring(0, at) + ": " + name);
            }
        }
        return found;
    }

    private static List<String> rows() throws IOException {
        List<String> rows = new ArrayList<>();
        String module = "";
        for (String line : Files.readAllLines(SourceTree.ROOT.resolve("docs/architecture.md"))) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                module = heading.group(1);
            } else if (row.matches()) {
                rows.add(module + ": " + row.group(1));
                assertTrue(row.group(2).strip().length() >= DESCRIPTION_LETTERS_MIN, line);
            }
        }
        return rows;
    }

    /** Each of them that is not among the others, with that word before it. */
    private static List<String> missing(String word, Set<String> all, Set<String> others) {
        return all.stream()
                .filter(one -> !others.contains(one))
                .map(one -> word + " " + one)
                .toList();
    }

    @Test
    void shouldHaveARowForEveryPackageAndNoOther() throws IOException {
        Set<String> packages = packages();
        List<String> rows = rows();
        Set<String> described = new TreeSet<>(rows);
        assertTrue(packages.contains("gateway: brig.gateway.stream"), packages::toString);
        assertEquals(described.size(), rows.size(), () -> "a row is there twice: " + rows);
        List<String> wrong = new ArrayList<>(missing("no row for", packages, described));
        wrong.addAll(missing("no package for the row", described, packages));
        assertEquals(List.of(), wrong);
    }
}
