package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What many workers with egress cost outside their walls. */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Order(5)
@Tag("slow")
class EgressMemoryTest {
    private static final int WORKERS = 200;
    private static final long BYTES_OF_WORKER_MAX = 1024 * 1024;

    private static long residentBytes(long pid) throws IOException {
        String line = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(text -> text.startsWith("VmRSS:"))
                .findFirst()
                .orElseThrow();
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    }

    @Test
    void shouldCostLittleForEachWorker() throws IOException {
        try (AgentFixture fixture = new AgentFixture("rlimits").open();
                TestGateway control = fixture.control()) {
            fixture.writePolicy("test", Map.of("egress", Map.of("allowedHosts", List.of("allowed.test"))));
            spawn(fixture, control);
            List<Long> pids = fixture.egressProcesses();
            assertEquals(1, pids.size());
            long before = residentBytes(pids.getFirst());
            List<Map<String, Object>> answers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                answers.add(spawn(fixture, control));
            }
            assertEquals(
                    List.of(),
                    answers.stream().filter(answer -> !answer.containsKey("ok")).toList());
            long each = (residentBytes(pids.getFirst()) - before) / WORKERS;
            System.out.println("brig-egress: " + before / 1024 + " KiB with 1 worker, " + each / 1024
                    + " KiB for each of " + WORKERS + " more");
            assertTrue(each <= BYTES_OF_WORKER_MAX, each + " bytes for each");
        }
    }

    private static Map<String, Object> spawn(AgentFixture fixture, TestGateway control) throws IOException {
        return fixture.ask(
                control,
                Ids.newSpawnId(System.currentTimeMillis()),
                Map.of("agent_config", Map.of("name", "lines"), "policy", "test"));
    }
}
