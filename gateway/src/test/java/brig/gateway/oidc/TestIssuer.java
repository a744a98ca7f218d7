package brig.gateway.oidc;

import brig.gateway.config.Config;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** An issuer of OpenID Connect without a socket: it remembers whom it sent back, and checks what it is asked for. */
public final class TestIssuer implements Fetch {
    public static final String CLIENT = "brig-client";
    public static final String SECRET = "s:cret %+é";
    public static final RSAKey RSA = rsa("rsa-1");
    public static final RSAKey OTHER_RSA = rsa("rsa-2");
    public static final ECKey EC = ec(Curve.P_256, "ec-1");

    /** Whom the issuer sent back, until the code is used. */
    private record Sent(Map<String, String> asked, Map<String, Object> claims) {}

    /** Requests, by path. */
    public final List<String> requests = new CopyOnWriteArrayList<>();

    private final String url;
    private final Map<String, Sent> byCode = new ConcurrentHashMap<>();
    private volatile List<JWK> published = List.of(RSA, EC);
    private volatile JWK signing = RSA;
    private volatile Map<String, Object> person = Map.of();
    private volatile boolean down;
    private volatile boolean isPublic;
    private volatile Map<String, Object> more = Map.of();
    private volatile UnaryOperator<String> forged = token -> token;

    public TestIssuer(String url) {
        this.url = url;
    }

    private static RSAKey rsa(String kid) {
        try {
            return new RSAKeyGenerator(2_048).keyID(kid).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static ECKey ec(Curve curve, String kid) {
        try {
            return new ECKeyGenerator(curve).keyID(kid).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Settings of a gateway whose engineers are captains, and whose guests are watchers. */
    static Config.Oidc settings(String issuer) {
        return new Config.Oidc(
                issuer,
                CLIENT,
                "",
                "https://brig.example.org",
                "Example",
                List.of("email"),
                "email",
                List.of(
                        new Config.RoleRule("groups", "engineers", Role.CAPTAIN),
                        new Config.RoleRule("groups", "guests", Role.WATCHER)),
                List.of(),
                3_600_000);
    }

    /** The next whom it sends back is that person. */
    public void is(String email, String group) {
        person = Map.of("sub", "17", "email", email, "email_verified", true, "groups", List.of("all", group));
    }

    /** Other claims of the next one, laid over the usual. */
    public void claims(Map<String, Object> claims) {
        person = claims;
    }

    /** Signs by that key, and publishes those. */
    public void rotate(JWK by, JWK... all) {
        signing = by;
        published = List.of(all);
    }

    public void goDown(boolean isDown) {
        down = isDown;
    }

    /** The client has no secret. */
    public void takePublicClients() {
        isPublic = true;
    }

    /** More of the document about itself. */
    public void say(Map<String, Object> document) {
        more = document;
    }

    /** Changes each ID token before it is given away. */
    public void forge(UnaryOperator<String> change) {
        forged = change;
    }

    static Map<String, String> query(String text) {
        Map<String, String> fields = new HashMap<>();
        new QueryStringDecoder(text, StandardCharsets.UTF_8, !text.isEmpty() && text.contains("?"))
                .parameters()
                .forEach((name, values) -> fields.put(name, values.getFirst()));
        return fields;
    }

    /** The person agrees. @return where the browser is sent back to */
    public String authorize(String location) {
        if (!location.startsWith(url + "/authorize?tenant=1&")) {
            throw new AssertionError(location);
        }
        Map<String, String> asked = query(location);
        String code = Ids.newToken();
        byCode.put(code, new Sent(asked, person));
        return asked.get("redirect_uri") + "?state=" + asked.get("state") + "&code=" + code + "&session_state=x.y";
    }

    /** What it answers at that path. */
    public Answer answer(String path, String form, String authorization) {
        requests.add(path);
        return switch (path) {
            case "/.well-known/openid-configuration" -> json(200, document());
            case "/keys" ->
                json(
                        200,
                        Map.of(
                                "keys",
                                published.stream()
                                        .map(key -> key.toPublicJWK().toJSONObject())
                                        .toList()));
            case "/token" -> token(query(form), authorization);
            default -> json(404, Map.of());
        };
    }

    private Map<String, Object> document() {
        Map<String, Object> document = new HashMap<>(Map.of(
                "issuer",
                url,
                "authorization_endpoint",
                url + "/authorize?tenant=1",
                "token_endpoint",
                url + "/token",
                "jwks_uri",
                url + "/keys",
                "id_token_signing_alg_values_supported",
                List.of("none", "HS256", "RS256", "PS256", "ES256", "ES384")));
        document.putAll(more);
        return document;
    }

    private Answer token(Map<String, String> form, String authorization) {
        Sent sent = byCode.remove(form.getOrDefault("code", ""));
        if (sent == null
                || !form.get("grant_type").equals("authorization_code")
                || !form.get("redirect_uri").equals(sent.asked().get("redirect_uri"))
                || !hash(form.get("code_verifier")).equals(sent.asked().get("code_challenge"))) {
            return json(400, Map.of("error", "invalid_grant"));
        }
        if (!isClient(form, authorization)) {
            return json(401, Map.of("error", "invalid_client"));
        }
        Map<String, Object> claims = new HashMap<>(usual(sent.asked().get("nonce"), System.currentTimeMillis()));
        claims.putAll(sent.claims());
        return json(200, Map.of("token_type", "Bearer", "access_token", "x", "id_token", forged.apply(sign(claims))));
    }

    private boolean isClient(Map<String, String> form, String authorization) {
        if (isPublic) {
            return CLIENT.equals(form.get("client_id")) && authorization == null;
        }
        if (form.containsKey("client_secret")) {
            return CLIENT.equals(form.get("client_id")) && SECRET.equals(form.get("client_secret"));
        }
        String basic = Base64.getEncoder()
                .encodeToString((CLIENT + ":s%3Acret+%25%2B%C3%A9").getBytes(StandardCharsets.US_ASCII));
        return ("Basic " + basic).equals(authorization) && !form.containsKey("client_id");
    }

    Map<String, Object> usual(String nonce, long nowMs) {
        return Map.of(
                "iss", url, "aud", CLIENT, "nonce", nonce, "iat", nowMs / 1000, "exp", nowMs / 1000 + 300, "sub", "17");
    }

    private String sign(Map<String, Object> claims) {
        return sign(signing, signing instanceof RSAKey ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256, claims);
    }

    static String sign(JWK key, JWSAlgorithm algorithm, Map<String, Object> claims) {
        return sign(key, new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), Json.write(claims));
    }

    static String sign(JWK key, JWSHeader header, byte[] claims) {
        try {
            JWSSigner signer = key instanceof RSAKey rsa ? new RSASSASigner(rsa) : new ECDSASigner((ECKey) key);
            JWSObject signed = new JWSObject(header, new Payload(claims));
            signed.sign(signer);
            return signed.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hash(String verifier) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Answer json(int status, Map<String, Object> body) {
        return new Answer(status, new String(Json.write(JsonObject.of(body)), StandardCharsets.UTF_8));
    }

    @Override
    public CompletionStage<Answer> get(String from) {
        return reached(from, "", null);
    }

    @Override
    public CompletionStage<Answer> post(String to, String form, String authorization) {
        return reached(to, form, authorization);
    }

    private CompletionStage<Answer> reached(String to, String form, String authorization) {
        if (down) {
            return CompletableFuture.failedFuture(new IOException("Connection refused"));
        }
        return CompletableFuture.completedFuture(answer(to.substring(url.length()), form, authorization));
    }

    /** How often that path was asked for. */
    public long asked(String path) {
        return new ArrayList<>(requests).stream().filter(path::equals).count();
    }
}
