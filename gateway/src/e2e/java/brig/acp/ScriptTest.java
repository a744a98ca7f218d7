package brig.acp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole exchanges between editor, agent and gateway, which a reviewer reads in {@code src/e2e/resources/acp}. */
@Timeout(60)
class ScriptTest {
    private static final Path SCRIPTS = Path.of("src/e2e/resources/acp");

    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldFindTheScripts() throws IOException {
        assertTrue(scripts().size() >= 8, () -> SCRIPTS.toString());
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void shouldTalkAsTheScriptSays(Path script) throws IOException, InterruptedException {
        Script.play(script);
    }
}
