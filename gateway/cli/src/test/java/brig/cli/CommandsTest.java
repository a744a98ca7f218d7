package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @ValueSource(strings = {"", "--version", "-V"})
    void shouldMakeNoneForTheOverviewAndTheVersion(String line) {
        assertEquals(Set.of(), made(line));
    }

    @ParameterizedTest
    @CsvSource({
        "runn shell, runn",
        "--json runn run, --json runn",
        "--config serve runn run, --config serve runn",
        "run shell, run shell",
        "--help, --help",
        "--config run, --config run"
    })
    void shouldParseNothingBehindACommandThatThereIsNot(String line, String parsed) {
        String[] words = line.split(" ", -1);
        assertEquals(parsed, String.join(" ", Commands.known(Commands.of(new Main(), words), words)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve --config brig.json", "serve --config brig.json --worker-agent /run/agents"})
    void shouldServeASupervisorWithoutThem(String line) {
        assertTrue(Main.isOfSupervisor(line.split(" ", -1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "run --config brig.json",
                "serve --config --help",
                "serve --config brig.json --json",
                "serve --config brig.json --worker-agent=/run/agents --json",
                "serve --worker-agent /run/agents --config brig.json"
            })
    void shouldReadAnythingElse(String line) {
        assertFalse(Main.isOfSupervisor(line.split(" ", -1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "help", "man", "completion bash", "rnu", "--config", "--config run"})
    void shouldMakeAllWhereAllMayBeMeant(String line) {
        assertTrue(made(line).containsAll(Set.of("serve", "run", "help", "sessions")), made(line)::toString);
    }
}
