package brig.gateway.provider.opensandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiAnswer;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.Page;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.Shown;
import brig.protocol.json.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenSandboxMessagesTest {
    private static <T> T read(String json, Class<T> type) {
        return ApiAnswer.read(json.getBytes(UTF_8), type);
    }

    @Test
    void shouldWriteAnOrder() {
        assertEquals(
                "{\"image\":{\"uri\":\"debian:13\"},\"entrypoint\":[\"tail\",\"-f\",\"/dev/null\"],\"timeout\":3600,"
                        + "\"resourceLimits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"metadata\":{\"brig.name\":\"a\"},"
                        + "\"networkPolicy\":{\"defaultAction\":\"deny\",\"egress\":[]}}",
                new String(
                        Json.write(new OpenSandboxMessages.Create(
                                new OpenSandboxMessages.Image("debian:13"),
                                List.of("tail", "-f", "/dev/null"),
                                3600,
                                new TreeMap<>(Map.of("cpu", "1", "memory", "1Gi")),
                                Map.of("brig.name", "a"),
                                new OpenSandboxMessages.NetworkPolicy("deny", List.of()))),
                        UTF_8));
    }

    @Test
    void shouldReadASandbox() {
        Sandbox sandbox = read(
                        "{\"id\":\"id-1\",\"status\":{\"state\":\"Running\",\"reason\":null},\"metadata\":{\"brig.name\":\"brig-a\","
                                + "\"brig.spawn_id\":\"spn_1\",\"team\":\"x\"},\"createdAt\":\"2026-11-27T10:00:00.5Z\",\"more\":[1]}",
                        Shown.class)
                .toSandbox();
        assertEquals(
                new Sandbox("brig-a", "id-1", Sandbox.State.RUNNING, 1795773600500L, Map.of("spawn_id", "spn_1")),
                sandbox);
    }

    @ParameterizedTest
    @CsvSource({
        "Pending,PENDING",
        "Running,RUNNING",
        "Pausing,PAUSED",
        "Paused,PAUSED",
        "Resuming,PENDING",
        "Stopping,GONE",
        "Terminated,GONE",
        "Failed,GONE",
        "Hibernating,RUNNING"
    })
    void shouldKnowTheStates(String state, Sandbox.State meant) {
        Shown shown = read("{\"id\":\"a\",\"status\":{\"state\":\"" + state + "\"}}", Shown.class);
        assertEquals(meant, shown.toSandbox().state());
    }

    @Test
    void shouldWaitForASteadyState() {
        assertTrue(read("{\"status\":{\"state\":\"Running\"}}", Shown.class).isSteady());
        assertTrue(read("{\"status\":{\"state\":\"Paused\"}}", Shown.class).isSteady());
        assertFalse(read("{\"status\":{\"state\":\"Pausing\"}}", Shown.class).isSteady());
        assertFalse(read("{\"status\":{\"state\":\"Resuming\"}}", Shown.class).isSteady());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"id\":\"\"}",
                "{\"id\":7}",
                "{\"id\":\"../other\"}",
                "{\"id\":\"a/b\"}",
                "{\"id\":\"a?b\"}",
                "{\"id\":\"a\\r\\nb\"}",
                "{\"id\":\".\"}",
                "{\"id\":\"..\"}"
            })
    void shouldTakeNoIdThatIsNoPartOfAPath(String json) {
        assertThrows(ProviderFailure.class, () -> read(json, Shown.class).toSandbox());
    }

    @Test
    void shouldTakeWhatIsOfAnotherTypeForAbsent() {
        Sandbox sandbox = read(
                        "{\"id\":\"a\",\"status\":[],\"metadata\":{\"brig.name\":1,\"brig.gateway\":\"g\"},\"createdAt\":{}}",
                        Shown.class)
                .toSandbox();
        assertEquals("a", sandbox.name());
        assertEquals(0, sandbox.createdMs());
        assertEquals(Sandbox.State.RUNNING, sandbox.state());
        assertEquals(
                0,
                read("{\"id\":\"a\",\"createdAt\":\"yesterday\"}", Shown.class)
                        .toSandbox()
                        .createdMs());
        assertFalse(
                read("{\"items\":{},\"pagination\":7}", Page.class).pagination().hasNextPage());
    }
}
