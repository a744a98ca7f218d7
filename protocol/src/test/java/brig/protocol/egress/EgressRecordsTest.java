package brig.protocol.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class EgressRecordsTest {
    private static final AuditEvent.Result RESULT = new AuditEvent.Result(
            AuditEvent.Decision.FAILED,
            "GET",
            "https",
            "a.example",
            443,
            "/x",
            "no connection",
            502,
            7,
            8,
            List.of("T"),
            9);

    private static String write(Record record) {
        return new String(Json.write(record), StandardCharsets.UTF_8);
    }

    private static AuditLine read(String json) {
        return Json.read(json.getBytes(StandardCharsets.UTF_8), AuditLine.class);
    }

    @Test
    void shouldReadEachLineOfTheAuditThatItWrites() {
        for (AuditEvent event : List.of(
                new AuditEvent.Request(RESULT),
                new AuditEvent.Connect(RESULT),
                new AuditEvent.Tunnel(RESULT),
                new EgressEvent.TlsFailed("a.example", 443, "broke off"),
                new EgressEvent.Subagent("a", null, "s"),
                new EgressEvent.Usage("a", "claude", "m", 1L, 2L, null, null, 200, 0.5))) {
            AuditLine line = AuditLine.of(5, "spn_1", "shell", event);
            assertEquals(line, read(write(line)));
        }
        assertEquals("{\"ts\":5,\"lost\":3}", write(AuditLine.lost(5, 3)));
        assertEquals(AuditLine.lost(5, 3), read("{\"ts\":5,\"lost\":3}"));
    }

    @Test
    void shouldKnowHostAndDecisionOfWhatHasThem() {
        AuditLine request = AuditLine.of(5, "spn_1", "shell", new AuditEvent.Request(RESULT));
        assertEquals("a.example", request.host());
        assertEquals(AuditEvent.Decision.FAILED, request.decision());
        AuditLine agent = AuditLine.of(5, "spn_1", "shell", new EgressEvent.Subagent("a", null, null));
        assertEquals("", agent.host());
        assertNull(agent.decision());
        assertEquals("", AuditLine.lost(1, 1).host());
    }

    @Test
    void shouldReadALineOfAnOlderVersion() {
        AuditLine line =
                read("{\"ts\":5,\"spawn\":\"spn_1\",\"agent\":\"shell\",\"kind\":\"request\",\"decision\":\"failed\","
                        + "\"method\":\"GET\",\"scheme\":\"https\",\"host\":\"a.example\",\"port\":443,\"path\":\"/x\","
                        + "\"rule\":\"no connection\",\"status\":502,\"requestBytes\":7,\"responseBytes\":8,\"secrets\":[\"T\"],"
                        + "\"durationMs\":9}");
        assertEquals(AuditLine.of(5, "spn_1", "shell", new AuditEvent.Request(RESULT)), line);
    }

    @Test
    void shouldWriteAnEventAsTheFrameHasIt() {
        EgressEvent.Request request =
                new EgressEvent.Request("POST", "https", "a.example", 443, "/x", "no rule", List.of(), 403);
        assertEquals(
                "{\"kind\":\"blocked\",\"method\":\"POST\",\"scheme\":\"https\",\"host\":\"a.example\",\"port\":443,"
                        + "\"path\":\"/x\",\"rule\":\"no rule\",\"secrets\":[],\"status\":403}",
                write(new EgressEvent.Blocked(request)));
        assertEquals(
                "{\"kind\":\"ask\",\"host\":\"a.example\",\"port\":443,\"method\":\"GET\",\"rule\":\"no rule\","
                        + "\"deadline_ms\":60000}",
                write(new EgressEvent.Ask("a.example", 443, "GET", "no rule", 60_000)));
    }
}
