package brig.workeragent.wall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import brig.egress.policy.EgressPolicy;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EgressVariablesTest {

    @Test
    void shouldTellNothingWhenNothingIsReached() {
        assertEquals(Set.of(), EgressVariables.names(EgressPolicy.NONE));
    }

    @Test
    void shouldTellOfProxyCertificatesRoutesAndPlaceholders() {
        EgressPolicy policy = EgressPolicy.read(JsonObject.of(Map.of(
                "allowedHosts",
                List.of("a.test"),
                "secrets",
                Map.of("TOKEN", Map.of("hosts", List.of("a.test"))),
                "modelRoutes",
                Map.of(
                        "openai",
                        Map.of("baseUrl", "https://api.openai.test"),
                        "my-model",
                        Map.of("baseUrl", "https://m.test")))));
        Map<String, String> variables = EgressVariables.of(policy, Map.of("TOKEN", "BRIG_SECRET_1"));
        assertEquals("http://127.0.0.1:3128", variables.get("https_proxy"));
        assertEquals("/etc/ssl/certs/brig-authority.pem", variables.get("NODE_EXTRA_CA_CERTS"));
        assertEquals("http://127.0.0.1:3129/openai/v1", variables.get("OPENAI_BASE_URL"));
        assertEquals("http://127.0.0.1:3129/my-model", variables.get("BRIG_MODEL_URL_MY_MODEL"));
        assertEquals("BRIG_SECRET_1", variables.get("TOKEN"));
        assertFalse(variables.containsKey("ANTHROPIC_BASE_URL"));
        assertEquals(EgressVariables.names(policy), variables.keySet());
    }
}
