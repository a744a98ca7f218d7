package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An installation says what it has of others. */
class NoticeTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    private static final Path PRODUCT = Path.of(System.getProperty("brig.product", "build/brig"));
    private static final Pattern OWN = Pattern.compile("brig-.*");

    @Test
    void shouldNameEachLibraryOfAnInstallation() throws IOException {
        String notice = Files.readString(ROOT.resolve("NOTICE"));
        assertEquals(notice, Files.readString(PRODUCT.resolve("NOTICE")));
        assertTrue(Files.exists(PRODUCT.resolve("LICENSE")));
        List<String> named = notice.lines()
                .dropWhile(line -> !line.startsWith("| library"))
                .skip(2)
                .map(row -> row.substring(2, row.indexOf(" |")).replaceFirst(" \\(.*", ""))
                .flatMap(names -> Pattern.compile(", ").splitAsStream(names))
                .toList();
        try (Stream<Path> all = Files.walk(PRODUCT.resolve("lib"))) {
            List<String> missing = all.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".jar"))
                    .filter(name ->
                            !OWN.matcher(name).matches() && named.stream().noneMatch(name::startsWith))
                    .toList();
            assertEquals(List.of(), missing);
        }
    }
}
