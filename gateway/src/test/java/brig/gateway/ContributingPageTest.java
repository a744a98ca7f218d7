package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What CONTRIBUTING.md names is there: files, classes and tests; and so is what any page links to. */
class ContributingPageTest {
    private static final Path ROOT = SourceTree.ROOT;
    private static final Pattern FILE =
            Pattern.compile("`((?:config|protocol|gateway|worker-agent|load-tests|docs|clients)/[\\w./-]+)`");
    private static final Pattern CLASS = Pattern.compile("`(brig(?:\\.[a-z]+)+\\.[A-Z]\\w+)`");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

    private static Set<String> named(Path page, Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(page))
                .results()
                .map((MatchResult name) -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldNameFilesThatAreThere() throws IOException {
        Set<String> files = named(ROOT.resolve("CONTRIBUTING.md"), FILE);
        assertTrue(files.contains("protocol/PROTOCOL.md"), files::toString);
        files.removeIf(file -> Files.exists(ROOT.resolve(file)));
        assertEquals(Set.of(), files);
    }

    @Test
    void shouldNameClassesThatAreThere() throws IOException {
        List<Path> sources = SourceTree.files(".java");
        Set<String> classes = named(ROOT.resolve("CONTRIBUTING.md"), CLASS);
        assertTrue(classes.contains("brig.protocol.ErrorCode"), classes::toString);
        classes.removeIf(name -> sources.stream().anyMatch(file -> file.endsWith(name.replace('.', '/') + ".java")));
        assertEquals(Set.of(), classes);
    }

    @Test
    void shouldNameTestsThatAreThere() throws IOException {
        List<Path> sources = SourceTree.files(".java");
        Set<String> tests = named(ROOT.resolve("CONTRIBUTING.md"), TEST);
        tests.addAll(named(ROOT.resolve("docs/architecture.md"), TEST));
        assertTrue(tests.contains("PackageMapTest"), tests::toString);
        tests.removeIf(name -> sources.stream().anyMatch(file -> file.endsWith(name + ".java")));
        assertEquals(Set.of(), tests);
    }

    @Test
    void shouldLinkToPagesThatAreThere() throws IOException {
        Set<String> dead = new TreeSet<>();
        List<Path> pages = SourceTree.files(".md");
        assertTrue(pages.contains(Path.of("README.md")), pages::toString);
        for (Path page : pages) {
            for (String link : named(ROOT.resolve(page), LINK)) {
                if (!Files.exists(ROOT.resolve(page).resolveSibling(link))) {
                    dead.add(page + ": " + link);
                }
            }
        }
        assertEquals(Set.of(), dead);
    }
}
