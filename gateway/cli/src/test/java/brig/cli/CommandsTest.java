package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
    private static Set<String> made(String line) {
        return Commands.of(new Main(), line.isEmpty() ? new String[0] : line.split(" ", -1))
                .getSubcommands()
                .keySet();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run shell",
                "--json run",
                "--config brig.json run shell",
                "--config serve run",
                "--config=serve run"
            })
    void shouldMakeTheCommandThatIsAskedForAlone(String line) {
        assertEquals(Set.of("run"), made(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V"})
    void shouldMakeNoneForTheVersion(String line) {
        assertEquals(Set.of(), made(line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--help", "help", "man", "completion bash", "rnu", "--config", "--config run"})
    void shouldMakeAllWhereAllMayBeMeant(String line) {
        assertTrue(made(line).containsAll(Set.of("serve", "run", "help", "sessions")), made(line)::toString);
    }
}
