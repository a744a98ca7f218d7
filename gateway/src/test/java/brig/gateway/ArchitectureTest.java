package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Who may import whom in all modules, which library may be used where, and how large files and packages may be. */
class ArchitectureTest {
    private static final Path RULES = SourceTree.ROOT.resolve("gateway/src/test/resources/architecture.txt");
    private static final String SOURCES = "/src/main/java/";
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package (brig[\\w.]*);");
    private static final Pattern NAME = Pattern.compile("\\bbrig(?:\\.[a-z]\\w*)+\\b");
    private static final String LIBRARY = "library ";
    private static final int LINES_MAX = 600;
    /** A package with more says why, in its note. */
    private static final int CLASSES_MAX = 14;

    private static final String REASON = "More than " + CLASSES_MAX + " classes: ";
    /** What leads to standard output or to the terminal itself past what makes hostile text harmless. */
    private static final Pattern OTHER_WAY_OUT =
            Pattern.compile("\\bSystem\\s*\\.\\s*(out|err|console|setOut|setErr)\\b|\\bFileDescriptor\\b"
                    + "|\\bPrintStream\\b|\\bPrintWriter\\b|\\bConsole\\b|\\bprintStackTrace\\b|\\binheritIO\\b|/dev/(tty|std|fd|pts)|\\bfd/[12]\\b"
                    + "|\\bIO\\s*\\.\\s*print|\\\\u001[bB]|\\\\033|\\bimport static java\\.lang\\.");

    /** A refusal that ends in an exception itself, and so in the name of a class; Reason has the words. */
    private static final Pattern CLASS_NAME_FOR_PEOPLE =
            Pattern.compile("new BrigException\\([^;]*?\\+ (?:e|failure|exception)\\s*\\)");

    /** The main sources of all modules, without comments, whose links bind nobody. */
    private static Map<Path, String> sources() throws IOException {
        Map<Path, String> sources = new TreeMap<>();
        for (Path file : SourceTree.files(".java")) {
            if (file.toString().contains(SOURCES)) {
                sources.put(file, code(Files.readString(SourceTree.ROOT.resolve(file))));
            }
        }
        assertTrue(sources.size() > 500, "the sources were found");
        return sources;
    }

    private static String code(String source) {
        return source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)//.*$", "");
    }

    private static String packageOf(String source) {
        Matcher name = PACKAGE.matcher(source);
        assertTrue(name.find(), "each file is in a package");
        return name.group(1);
    }

    /** The rules, by what stands before the arrow. */
    private static Map<String, Set<String>> rules() throws IOException {
        Map<String, Set<String>> rules = new TreeMap<>();
        String text = Files.readString(RULES).replaceAll("(?m)^#.*\\R", "").replaceAll("\\R +", " ");
        for (String line : text.split("\\R", -1)) {
            String[] sides = line.split(" ->", 2);
            if (sides.length == 2) {
                Set<String> names = new TreeSet<>(List.of(sides[1].strip().split(" +", -1)));
                names.remove("");
                rules.put(sides[0], names);
            }
        }
        return rules;
    }

    /** What each package names of the others. */
    private static Map<String, Set<String>> imports(Map<Path, String> sources) {
        Map<String, Set<String>> imports = new TreeMap<>();
        sources.values().forEach(source -> imports.put(packageOf(source), new TreeSet<>()));
        for (String source : sources.values()) {
            Matcher name = NAME.matcher(source);
            while (name.find()) {
                String named = name.group();
                while (!named.isEmpty() && !imports.containsKey(named)) {
                    named = named.substring(0, Math.max(0, named.lastIndexOf('.')));
                }
                if (!named.isEmpty()) {
                    imports.get(packageOf(source)).add(named);
                }
            }
        }
        imports.forEach((name, others) -> others.remove(name));
        return imports;
    }

    @Test
    void shouldImportWhatTheRulesSayAndNothingElse() throws IOException {
        Map<String, Set<String>> allowed = rules();
        allowed.keySet().removeIf(name -> name.startsWith(LIBRARY));
        Map<String, Set<String>> imports = imports(sources());
        List<String> wrong = new ArrayList<>();
        Set<String> all = new TreeSet<>(imports.keySet());
        all.addAll(allowed.keySet());
        for (String name : all) {
            Set<String> may = allowed.getOrDefault(name, Set.of());
            Set<String> does = imports.getOrDefault(name, Set.of());
            if (!allowed.containsKey(name) || !imports.containsKey(name)) {
                wrong.add(name + (imports.containsKey(name) ? " has no rule" : " is no package any more"));
            }
            does.stream().filter(other -> !may.contains(other)).forEach(other -> wrong.add(name + " -> " + other));
            may.stream()
                    .filter(other -> !does.contains(other))
                    .forEach(other -> wrong.add(name + " may, but does not -> " + other));
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldAllowNoCycle() throws IOException {
        // A package with nothing left to import goes; if the rules have no cycle, in the end all are gone.
        Map<String, Set<String>> left = new TreeMap<>(rules());
        left.keySet().removeIf(name -> name.startsWith(LIBRARY));
        while (left.values().removeIf(Set::isEmpty)) {
            left.values().forEach(others -> others.retainAll(left.keySet()));
        }
        assertEquals(Map.of(), left);
    }

    @Test
    void shouldUseLibrariesOnlyWhereTheyBelong() throws IOException {
        Map<Path, String> sources = sources();
        List<String> wrong = new ArrayList<>();
        rules().forEach((name, packages) -> {
            if (name.startsWith(LIBRARY)) {
                String library = name.substring(LIBRARY.length());
                Pattern use = Pattern.compile("\\b" + Pattern.quote(library) + "\\.");
                sources.forEach((file, source) -> {
                    if (!packages.contains(packageOf(source))
                            && use.matcher(source).find()) {
                        wrong.add(file + " uses " + library);
                    }
                });
            }
        });
        assertEquals(List.of(), wrong);
    }

    /** What an agent wrote would reach a person's terminal as it is, if one command printed by itself. */
    @Test
    void shouldPrintThroughTheTerminalOnly() throws IOException {
        Set<String> mayPrint = Set.of("Terminal.java");
        Set<String> mayCommand = Set.of(
                "StyledLine.java",
                "ContentFilter.java",
                "RedrawnLines.java",
                "Spinner.java",
                "LentScreen.java",
                "FullScreen.java");
        List<String> wrong = new ArrayList<>();
        sources().forEach((file, source) -> {
            if (!file.startsWith("gateway")) {
                return;
            }
            String name = String.valueOf(file.getFileName());
            Matcher out = OTHER_WAY_OUT.matcher(source);
            while (out.find()) {
                boolean sequence = out.group().startsWith("\\");
                if (!(sequence ? mayCommand : mayPrint).contains(name)) {
                    wrong.add(name + " has " + out.group());
                }
            }
        });
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldSayWhyInWordsAndNotInNamesOfClasses() throws IOException {
        List<String> wrong = new ArrayList<>();
        sources()
                .forEach((file, source) -> CLASS_NAME_FOR_PEOPLE
                        .matcher(source)
                        .results()
                        .forEach(found -> wrong.add(file + ": " + found.group())));
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldKeepFilesShort() throws IOException {
        for (Path file : sources().keySet()) {
            try (var lines = Files.lines(SourceTree.ROOT.resolve(file))) {
                assertTrue(lines.count() <= LINES_MAX, file::toString);
            }
        }
    }

    @Test
    void shouldSayWhyAPackageIsLarge() throws IOException {
        Map<Path, Integer> classes = new TreeMap<>();
        sources().keySet().stream()
                .filter(file -> !file.endsWith("package-info.java"))
                .forEach(file -> classes.merge(file.getParent(), 1, Integer::sum));
        List<String> wrong = new ArrayList<>();
        classes.forEach((folder, count) -> {
            if (count > CLASSES_MAX != note(folder).contains(REASON)) {
                wrong.add(folder + " has " + count + " classes");
            }
        });
        assertEquals(List.of(), wrong);
    }

    private static String note(Path folder) {
        try {
            return Files.readString(SourceTree.ROOT.resolve(folder).resolve("package-info.java"))
                    .replaceAll("\\R \\* ?", " ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
