package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuditCommandTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "kind":"request","decision":"blocked","method":"GET","scheme":"http","host":"a.example","port":80,"path":"/","rule":"allowedHosts does not have a.example","status":403 | blocked  spn_1  GET http://a.example/ 403  (allowedHosts does not have a.example)
            "kind":"usage","route":"claude","model":"opus","input_tokens":12,"output_tokens":3,"status":200 | usage    spn_1  opus 12 in 3 out  (claude)
            "kind":"usage","route":"claude","model":"opus","status":200                                     | usage    spn_1  opus  (claude)
            "kind":"subagent","agent_id":"a1","parent_id":"a0"                                              | subagent spn_1  sub-agent a1
            """)
    void shouldSayWhatHappened(String fields, String line) {
        String entry = "{\"seq\":1,\"ts\":0,\"spawn_id\":\"spn_1\",\"agent\":\"claude\"," + fields + "}";
        assertEquals(
                "1970-01-01T00:00:00Z  " + line,
                AuditCommand.text(JsonObject.read(entry.getBytes(StandardCharsets.UTF_8))));
    }
}
