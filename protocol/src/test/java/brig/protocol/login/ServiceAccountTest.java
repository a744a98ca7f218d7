package brig.protocol.login;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.URLDecoder;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceAccountTest {
    private static final Instant NOW = Instant.parse("2026-11-26T22:00:00Z");
    private static final String EMAIL = "brig@my-project.iam.gserviceaccount.com";

    private final KeyPair pair = pair();

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Map<String, Object> file() {
        Map<String, Object> file = new LinkedHashMap<>();
        file.put("type", "service_account");
        file.put("private_key_id", "key-7");
        file.put(
                "private_key",
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(pair.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        file.put("client_email", EMAIL);
        file.put("token_uri", "https://oauth2.googleapis.com/token");
        return file;
    }

    private static String text(Map<String, Object> file) {
        return new String(Json.write(file), UTF_8);
    }

    @Test
    void shouldSignARequestForATokenWithItsKey() throws Exception {
        Vendor.Renewal renewal = Vendor.GOOGLE.renewal(text(file()), NOW);
        assertEquals("application/x-www-form-urlencoded", renewal.contentType());
        String[] body = renewal.body().split("&assertion=", -1);
        assertEquals("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", URLDecoder.decode(body[0], UTF_8));
        String[] parts = body[1].split("\\.", -1);
        Base64.Decoder decoder = Base64.getUrlDecoder();
        assertEquals(
                "{alg=RS256, typ=JWT, kid=key-7}",
                JsonObject.read(decoder.decode(parts[0])).toString());
        JsonObject claims = JsonObject.read(decoder.decode(parts[1]));
        assertEquals(EMAIL, claims.text("iss"));
        assertEquals("https://oauth2.googleapis.com/token", claims.text("aud"));
        assertEquals("https://www.googleapis.com/auth/cloud-platform", claims.text("scope"));
        assertEquals(NOW.getEpochSecond(), claims.number("iat", 0));
        assertEquals(NOW.getEpochSecond() + 3600, claims.number("exp", 0));
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(pair.getPublic());
        signature.update((parts[0] + "." + parts[1]).getBytes(US_ASCII));
        assertTrue(signature.verify(decoder.decode(parts[2])));
    }

    @Test
    void shouldRefuseOtherFilesWithoutShowingThem() throws IOException {
        String good = text(file());
        assertFalse(ServiceAccount.read(good).toString().contains("RSA"));
        for (Map.Entry<String, Object> wrong : List.of(
                Map.entry("type", (Object) "authorized_user"),
                Map.entry("client_email", (Object) ""),
                Map.entry("private_key", (Object) "planted-key"),
                Map.entry("private_key", (Object) "-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----"),
                Map.entry("private_key", (Object) 7L))) {
            Map<String, Object> file = file();
            file.put(wrong.getKey(), wrong.getValue());
            IOException refusal = assertThrows(IOException.class, () -> ServiceAccount.read(text(file)));
            assertFalse(String.valueOf(refusal.getMessage()).contains("planted"), refusal::getMessage);
        }
        for (String wrong : List.of("", "[]", "planted", "{\"type\":\"planted\"}")) {
            IOException refusal = assertThrows(IOException.class, () -> ServiceAccount.read(wrong));
            assertFalse(String.valueOf(refusal.getMessage()).contains("planted"), refusal::getMessage);
        }
    }
}
