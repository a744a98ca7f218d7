package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** ID tokens as they should be, and as somebody might forge them. */
class IdTokenTest {
    private static final String ISSUER = "https://id.example.org";
    private static final String NONCE = "the-nonce";
    private static final long NOW_MS = 1_767_225_600_000L;
    private static final long NOW = NOW_MS / 1000;
    private static final JWK EC_384 = TestIssuer.ec(Curve.P_384, "ec-384");
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(JWSAlgorithm.RS256, JWSAlgorithm.PS256, JWSAlgorithm.ES256, JWSAlgorithm.ES384);
    private static final SigningKeys KEYS =
            new SigningKeys(List.of(TestIssuer.RSA.toPublicJWK(), TestIssuer.EC.toPublicJWK(), EC_384.toPublicJWK()));
    private static final TestIssuer TEST_ISSUER = new TestIssuer(ISSUER);

    private static JsonObject verified(String token) {
        return IdToken.parse(token, ALGORITHMS)
                .verified(KEYS, new IdToken.Expected(ISSUER, TestIssuer.CLIENT, NONCE), NOW_MS);
    }

    private static Map<String, Object> usual() {
        return new HashMap<>(TEST_ISSUER.usual(NONCE, NOW_MS));
    }

    /** The usual claims but one; null takes it away. */
    private static String with(String name, Object value) {
        Map<String, Object> claims = usual();
        claims.put(name, value);
        if (value == null) {
            claims.remove(name);
        }
        return TestIssuer.sign(TestIssuer.RSA, JWSAlgorithm.RS256, claims);
    }

    private static String signed(JWSHeader.Builder header) {
        return TestIssuer.sign(TestIssuer.RSA, header.build(), Json.write(usual()));
    }

    private static JWSHeader.Builder rs256() {
        return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-1");
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(Map<String, Object> claims) {
        return base64(new String(Json.write(claims), StandardCharsets.UTF_8));
    }

    private static void refused(String why, String token) {
        SignInRefusal refusal = assertThrows(SignInRefusal.class, () -> verified(token));
        assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
        assertEquals("id_token", refusal.reason());
        assertFalse(refusal.getMessage().contains(token), "no token is shown");
    }

    @ParameterizedTest
    @CsvSource({"RS256", "PS256", "ES256", "ES384"})
    void shouldTakeATokenOfTheIssuer(String algorithm) {
        JWK key = switch (algorithm) {
            case "ES256" -> TestIssuer.EC;
            case "ES384" -> EC_384;
            default -> TestIssuer.RSA;
        };
        assertEquals(
                "17",
                verified(TestIssuer.sign(key, JWSAlgorithm.parse(algorithm), usual()))
                        .text("sub"));
    }

    @Test
    void shouldTakeATokenWithoutAKidAndForSeveralClients() {
        assertEquals(
                "17",
                verified(signed(new JWSHeader.Builder(JWSAlgorithm.RS256))).text("sub"));
        assertEquals("17", verified(signed(rs256().type(JOSEObjectType.JWT))).text("sub"));
        Map<String, Object> claims = usual();
        claims.putAll(Map.of("aud", List.of("other", TestIssuer.CLIENT), "azp", TestIssuer.CLIENT));
        assertEquals(
                "17",
                verified(TestIssuer.sign(TestIssuer.RSA, JWSAlgorithm.RS256, claims))
                        .text("sub"));
        claims.put("aud", List.of(TestIssuer.CLIENT));
        claims.remove("azp");
        assertEquals(
                "17",
                verified(TestIssuer.sign(TestIssuer.RSA, JWSAlgorithm.RS256, claims))
                        .text("sub"));
    }

    static Stream<Arguments> claims() {
        return Stream.of(
                Arguments.of("iss", "https://id.example.org/", "its iss"),
                Arguments.of("iss", "https://evil.example", "its iss"),
                Arguments.of("iss", null, "its iss"),
                Arguments.of("aud", "other", "its aud"),
                Arguments.of("aud", List.of(), "its aud"),
                Arguments.of("aud", List.of("other"), "its aud"),
                Arguments.of("aud", List.of(TestIssuer.CLIENT, "other"), "its azp"),
                Arguments.of("aud", List.of(TestIssuer.CLIENT, 7L), "its azp"),
                Arguments.of("aud", Map.of(TestIssuer.CLIENT, true), "its aud"),
                Arguments.of("aud", null, "its aud"),
                Arguments.of("azp", "other", "its azp"),
                Arguments.of("azp", List.of(TestIssuer.CLIENT), "its azp"),
                Arguments.of("nonce", "another", "its nonce"),
                Arguments.of("nonce", null, "its nonce"),
                Arguments.of("nonce", List.of(NONCE), "its nonce"),
                Arguments.of("sub", null, "no sub"),
                Arguments.of("sub", "", "no sub"),
                Arguments.of("exp", NOW - 60, "expired"),
                Arguments.of("exp", 0L, "expired"),
                Arguments.of("exp", String.valueOf(NOW + 300), "its exp is no number"),
                Arguments.of("exp", null, "its exp is no number"),
                Arguments.of("iat", NOW + 61, "later time"),
                Arguments.of("iat", null, "its iat is no number"),
                Arguments.of("nbf", NOW + 61, "later time"),
                Arguments.of("nbf", "soon", "its nbf is no number"));
    }

    @ParameterizedTest
    @MethodSource("claims")
    void shouldRefuseAClaimThatIsNotForThisSignIn(String name, Object value, String why) {
        refused(why, with(name, value));
    }

    @Test
    void shouldAllowAMinuteBetweenTheClocks() {
        assertEquals("17", verified(with("exp", NOW - 59)).text("sub"));
        assertEquals("17", verified(with("iat", NOW + 60)).text("sub"));
        assertEquals("17", verified(with("exp", NOW + 0.5)).text("sub"));
    }

    @Test
    void shouldRefuseATokenThatNobodySigned() {
        for (String alg : List.of("none", "None", "NONE", "")) {
            String head = base64("{\"alg\":\"" + alg + "\"}") + "." + base64(usual()) + ".";
            refused("in three parts", head);
            String why = alg.equals("none") ? "its header cannot be read" : "its ";
            refused(why, head + "AAAA");
        }
        String[] parts = with("sub", "17").split("\\.");
        refused("in three parts", parts[0] + "." + parts[1]);
        refused("in three parts", parts[0] + "." + parts[1] + "." + parts[2] + ".x");
        refused("signature", parts[0] + "." + base64(usual()) + "." + "A".repeat(parts[2].length()));
        Map<String, Object> other = usual();
        other.put("email", "root@example.org");
        refused("signature", parts[0] + "." + base64(other) + "." + parts[2]);
        refused("signature", parts[0] + "." + parts[1] + "." + parts[2].substring(4));
    }

    @Test
    void shouldRefuseTheIssuersPublicKeyAsASecret() throws JOSEException {
        for (byte[] secret : List.of(
                TestIssuer.RSA.toRSAPublicKey().getEncoded(),
                TestIssuer.RSA.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8))) {
            JWSObject token = new JWSObject(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa-1").build(), new Payload(Json.write(usual())));
            token.sign(new MACSigner(Arrays.copyOf(secret, secret.length)));
            refused("its alg is none of", token.serialize());
        }
    }

    @Test
    void shouldRefuseAnotherKeyAlsoOneThatTheTokenBringsAlong() {
        String kid = TestIssuer.RSA.getKeyID();
        JWSHeader.Builder claimed = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(kid);
        refused("signature", TestIssuer.sign(TestIssuer.OTHER_RSA, claimed.build(), Json.write(usual())));
        refused(
                "signature",
                TestIssuer.sign(
                        TestIssuer.OTHER_RSA,
                        claimed.jwk(TestIssuer.OTHER_RSA.toPublicJWK())
                                .jwkURL(URI.create("https://evil.example/keys"))
                                .build(),
                        Json.write(usual())));
        for (String path : List.of("../../../dev/null", "file:///dev/null", "' OR 1=1", "rsa-2", " rsa-1")) {
            refused("no key of its kid", signed(rs256().keyID(path)));
        }
        refused("kid has more than", signed(rs256().keyID("k".repeat(257))));
        refused("its alg is none of", TestIssuer.sign(TestIssuer.RSA, JWSAlgorithm.RS512, usual()));
    }

    @Test
    void shouldRefuseAHeaderThatMeansSomethingElse() {
        refused("its typ is not JWT", signed(rs256().type(new JOSEObjectType("at+jwt"))));
        refused("its typ is not JWT", signed(rs256().type(new JOSEObjectType("logout+jwt"))));
        refused("crit", signed(rs256().criticalParams(Set.of("exp")).customParam("exp", 1)));
        refused("in three parts", signed(rs256().base64URLEncodePayload(false).criticalParams(Set.of("b64"))));
    }

    @Test
    void shouldRefuseNamesThatAreThereTwice() {
        String[] parts = with("sub", "17").split("\\.");
        refused(
                "its header cannot be read",
                base64("{\"alg\":\"none\",\"alg\":\"RS256\",\"kid\":\"rsa-1\"}") + "." + parts[1] + "." + parts[2]);
        String claims = new String(Json.write(usual()), StandardCharsets.UTF_8);
        String twice = claims.substring(0, claims.length() - 1) + ",\"sub\":\"18\"}";
        refused(
                "no valid JSON",
                TestIssuer.sign(TestIssuer.RSA, rs256().build(), twice.getBytes(StandardCharsets.UTF_8)));
        refused(
                "no valid JSON",
                TestIssuer.sign(TestIssuer.RSA, rs256().build(), "[]".getBytes(StandardCharsets.UTF_8)));
        refused("its header cannot be read", base64("[]") + "." + parts[1] + "." + parts[2]);
        refused("its header cannot be read", "____." + parts[1] + "." + parts[2]);
    }

    @Test
    void shouldRefuseATokenThatIsTooLongBeforeItIsRead() {
        refused("more than 32768 characters", "a".repeat(IdToken.CHARACTERS_MAX) + ".b.c");
        refused("its header cannot be read", base64("[".repeat(20_000)) + ".b.c");
    }
}
