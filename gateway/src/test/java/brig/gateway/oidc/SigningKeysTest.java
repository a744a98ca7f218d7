package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SigningKeysTest {
    private static SigningKeys read(List<?> keys) {
        return SigningKeys.read(new String(Json.write(JsonObject.of(Map.of("keys", keys))), StandardCharsets.UTF_8));
    }

    private static List<String> kids(SigningKeys keys) {
        return keys.keys().stream().map(key -> key.getKeyID()).toList();
    }

    @Test
    void shouldKeepKeysThatSignAndPassOverOthers() throws JOSEException {
        RSAKey weak = new RSAKeyGenerator(1_024, true).keyID("weak").generate();
        Map<String, Object> odd = new HashMap<>(TestIssuer.EC.toPublicJWK().toJSONObject());
        odd.put("x", "AAAA");
        SigningKeys keys = read(List.of(
                weak.toPublicJWK().toJSONObject(),
                Map.of("kty", "oct", "k", "c2VjcmV0", "kid", "secret"),
                Map.of("kty", "OKP", "crv", "Ed25519", "x", "AAAA", "kid", "okp"),
                Map.of("kty", "later", "kid", "new"),
                Map.of("kid", "no kind"),
                odd,
                "no key",
                TestIssuer.RSA.toPublicJWK().toJSONObject()));
        assertEquals(List.of("rsa-1"), kids(keys));
    }

    @Test
    void shouldKeepNoPrivatePart() {
        SigningKeys keys = read(List.of(TestIssuer.RSA.toJSONObject()));
        assertFalse(keys.keys().getFirst().isPrivate());
    }

    @Test
    void shouldReadAFewAndNeedOne() {
        List<Map<String, Object>> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.add(TestIssuer.EC.toPublicJWK().toJSONObject());
        }
        assertEquals(64, read(many).keys().size());
        for (String body : List.of("{}", "{\"keys\":[]}", "{\"keys\":7}", "[]", "", "{\"keys\":[],\"keys\":[]}")) {
            SignInRefusal refusal = assertThrows(SignInRefusal.class, () -> SigningKeys.read(body));
            assertTrue(refusal.getMessage().contains("key"), refusal::getMessage);
        }
    }
}
