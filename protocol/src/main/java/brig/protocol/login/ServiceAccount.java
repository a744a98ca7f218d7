package brig.protocol.login;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;

/**
 * A service account of Google, which signs requests for tokens (RFC 7523, RS256). No text of an exception has anything of its
 * key.
 *
 * @param email its name
 * @param keyId the name of its key; empty if that is unknown
 * @param tokenUrl where it gets tokens
 */
public record ServiceAccount(String email, String keyId, String tokenUrl, PrivateKey key) {
    private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    private static final long SECONDS = 3600;

    /** Reads the file that Google gives out. */
    public static ServiceAccount read(String json) throws IOException {
        try {
            JsonObject file = JsonObject.read(json.getBytes(StandardCharsets.UTF_8));
            String email = file.text("client_email", "");
            if (!file.text("type", "").equals("service_account") || email.isEmpty()) {
                throw new IOException("it is no file of a service account");
            }
            return new ServiceAccount(
                    email,
                    file.text("private_key_id", ""),
                    file.text("token_uri", Vendor.GOOGLE.tokenUrl()),
                    key(file.text("private_key", "")));
        } catch (BrigException e) {
            throw new IOException("it is no file of a service account");
        }
    }

    private static PrivateKey key(String pem) throws IOException {
        String digits = pem.replaceAll("-----(BEGIN|END) PRIVATE KEY-----", "").replaceAll("\\s", "");
        try {
            return KeyFactory.getInstance("RSA")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(digits)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("its private_key is no RSA key in PEM");
        }
    }

    /** The body of a request for a token. */
    String renewal(Instant now) throws IOException {
        return "grant_type=" + URLEncoder.encode(GRANT, StandardCharsets.UTF_8) + "&assertion=" + assertion(now);
    }

    private String assertion(Instant now) throws IOException {
        JsonObject header = JsonObject.EMPTY.with("alg", "RS256").with("typ", "JWT");
        JsonObject claims = JsonObject.EMPTY
                .with("iss", email)
                .with("scope", SCOPE)
                .with("aud", tokenUrl)
                .with("iat", now.getEpochSecond())
                .with("exp", now.getEpochSecond() + SECONDS);
        String signed = base64(Json.write(keyId.isEmpty() ? header : header.with("kid", keyId))) + "."
                + base64(Json.write(claims));
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IOException("its private_key cannot sign");
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        return "ServiceAccount[" + email + "]";
    }
}
