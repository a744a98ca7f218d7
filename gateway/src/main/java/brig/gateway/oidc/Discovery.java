package brig.gateway.oidc;

import brig.gateway.config.Config;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.JWSAlgorithm;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an issuer says of itself (OpenID Connect Discovery 1.0).
 *
 * @param algorithms of signatures that it uses and that are taken here
 * @param postsSecret whether the token endpoint wants the client's secret in the form
 * @param namesItself whether each of its answers has {@code iss} (RFC 9207)
 */
record Discovery(
        String authorization,
        String token,
        String keys,
        Set<JWSAlgorithm> algorithms,
        boolean postsSecret,
        boolean namesItself) {
    /** Signatures with a private key. Neither {@code none}, nor one whose key the client has too (HS256). */
    private static final Set<JWSAlgorithm> SAFE = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    static final String PATH = "/.well-known/openid-configuration";

    /** @throws SignInRefusal if that is no document of the issuer, or one that cannot be used */
    static Discovery read(String issuer, String body) {
        JsonObject document;
        try {
            document = JsonObject.read(body.getBytes(StandardCharsets.UTF_8));
        } catch (BrigException e) {
            throw SignInRefusal.unavailable(issuer + PATH + " is no valid JSON: " + e.getMessage());
        }
        if (!issuer.equals(document.text("issuer"))) {
            throw SignInRefusal.unavailable(issuer + PATH
                    + " is a document of another issuer. An operator sets oidc.issuer to exactly what is there.");
        }
        Set<JWSAlgorithm> algorithms = new HashSet<>(SAFE);
        algorithms.retainAll(document.texts("id_token_signing_alg_values_supported").stream()
                .map(JWSAlgorithm::new)
                .collect(Collectors.toSet()));
        if (algorithms.isEmpty()) {
            throw SignInRefusal.unavailable(
                    "The issuer " + issuer + " signs ID tokens by nothing of " + SAFE + ", and others are not taken.");
        }
        List<String> methods = document.texts("token_endpoint_auth_methods_supported");
        return new Discovery(
                endpoint(issuer, document, "authorization_endpoint"),
                endpoint(issuer, document, "token_endpoint"),
                endpoint(issuer, document, "jwks_uri"),
                algorithms,
                !methods.contains("client_secret_basic") && methods.contains("client_secret_post"),
                document.flag("authorization_response_iss_parameter_supported"));
    }

    /** An issuer that is reached by TLS names no endpoint without it. */
    private static String endpoint(String issuer, JsonObject document, String name) {
        String url = document.text(name, "");
        boolean same = !issuer.startsWith("https:") || url.startsWith("https:");
        if (!Config.isSafe(url) || !same) {
            throw SignInRefusal.unavailable(issuer + PATH + " has no usable " + name + ".");
        }
        return url;
    }
}
