package brig.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What operators read, and what their services are started with, agrees with the code. */
class OperationsPageTest {
    private static final Path ROOT = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z0-9_]+)` \\| \\S.{20,} \\|");
    private static final Pattern KEY = Pattern.compile("`((?:limits|retention|worker|http|egress)\\.([A-Za-z]+))`");

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    @Test
    void shouldSayOfEveryErrorCodeWhatToDo() throws IOException {
        List<String> rows = read("docs/operations.md")
                .lines()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .map(row -> row.group(1))
                .toList();
        assertEquals(Stream.of(ErrorCode.values()).map(Enum::name).toList(), rows);
    }

    @Test
    void shouldNameOnlySettingsThatThereAre() throws IOException {
        String settings = read("config/brig.json");
        Set<String> named = new TreeSet<>();
        KEY.matcher(read("docs/operations.md"))
                .results()
                .filter(key -> !settings.contains("\"" + key.group(2) + "\":"))
                .forEach(key -> named.add(key.group(1)));
        assertEquals(Set.of(), named);
    }

    /** The two units are written apart and have to meet in one folder, as one user. */
    @Test
    void shouldLookForTheWorkerAgentWhereItsUnitPutsIt() throws IOException {
        String gateway = read("config/systemd/brig.service");
        String workerAgent = read("config/systemd/brig-worker-agent.service");
        assertTrue(gateway.contains("--worker-agent /run/brig-worker-agent\n"), gateway);
        assertTrue(workerAgent.contains("--runtime-dir /run/brig-worker-agent "), workerAgent);
        assertTrue(workerAgent.contains("RuntimeDirectory=brig-worker-agent\n"), workerAgent);
        assertTrue(gateway.contains("User=brig\n") && workerAgent.contains("--gateway-user brig\n"), workerAgent);
    }
}
