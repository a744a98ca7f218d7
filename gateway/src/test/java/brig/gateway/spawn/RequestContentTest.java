package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestContentTest {
    /** A gateway that is newer knows the requests that an older one answered: what is hashed stays as it is. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"agent_config":{"name":"shell","model":"m"},"prompt":"go","workspace":"/w","project":"p","env_allowlist":["B","A"],"timeout_seconds":60,"policy":"build","request_id":"8e03978e-40d5-43dd-bc93-6894a57f9324"} | false | {"agent_config":{"name":"shell","tools":[]},"captain":"uid:1","cwd":"/w","env_allowlist":["A","B"],"model":"m","once":false,"policy":"build","project":"p","prompt":"go","provider":"local","timeout":60}
            {"task_id":"t","agent_config":{"name":"shell","tools":["x"],"system_prompt":"s"},"once":true,"workspace_mode":"snapshot","repository":"/r","share_workspace":true,"lease_seconds":5,"resume":"ses","record":true,"provider":"far"} | true | {"agent_config":{"name":"shell","system_prompt":"s","tools":["x"]},"lease_seconds":5,"once":true,"provider":"far","record":true,"repository":"/r","resume":"ses","share_workspace":true,"task_id":"t","workspace_mode":"snapshot"}
            {"agent_config":{"name":"shell"},"root":"oci:app","root_overlay":"keep","variables":{"B":"2","A":"1"},"prepare":["make"]} | true | {"agent_config":{"name":"shell","tools":[]},"once":false,"prepare":["make"],"provider":"local","root":"oci:app","root_overlay":"keep","variables":{"A":"1","B":"2"}}
            """)
    void shouldBeTheSameBytesInEveryVersion(String request, boolean admin, String content) {
        SpawnRequest read = Json.read(request.getBytes(StandardCharsets.UTF_8), SpawnRequest.class);
        byte[] bytes =
                RequestContent.of(read, new SpawnRequest.Asker("uid:1", admin)).bytes();
        assertEquals(content, new String(bytes, StandardCharsets.UTF_8));
    }
}
