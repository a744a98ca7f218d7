package brig.gateway.oidc;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;

/** The public keys of an issuer (RFC 7517). Those that cannot sign an ID token are left out. */
record SigningKeys(List<JWK> keys) {
    private static final int KEYS_MAX = 64;
    private static final int RSA_BITS_MIN = 2_048;
    /** A longer one would take the event loop too long. */
    private static final int RSA_BITS_MAX = 8_192;

    /** @throws SignInRefusal if there is none */
    static SigningKeys read(String body) {
        List<JsonObject> all;
        try {
            all = JsonObject.read(body.getBytes(StandardCharsets.UTF_8)).objects("keys");
        } catch (BrigException e) {
            throw SignInRefusal.unavailable("The issuer's keys are no valid JSON: " + e.getMessage());
        }
        List<JWK> usable = new ArrayList<>();
        for (JsonObject one : all.subList(0, Math.min(all.size(), KEYS_MAX))) {
            add(one, usable);
        }
        if (usable.isEmpty()) {
            throw SignInRefusal.unavailable("The issuer has no key that can be used: RSA from " + RSA_BITS_MIN + " to "
                    + RSA_BITS_MAX + " bits, or EC.");
        }
        return new SigningKeys(List.copyOf(usable));
    }

    private static void add(JsonObject one, List<JWK> usable) {
        try {
            JWK key = JWK.parse(new String(Json.write(one), StandardCharsets.UTF_8));
            boolean usual = key instanceof RSAKey rsa
                    ? rsa.size() >= RSA_BITS_MIN && rsa.size() <= RSA_BITS_MAX
                    : key instanceof ECKey;
            if (usual) {
                usable.add(key.toPublicJWK());
            }
        } catch (ParseException | IllegalArgumentException | IllegalStateException unknown) {
            // A key of a kind that is not used here; others may be.
            return;
        }
    }

    /** The keys that may have signed it. */
    List<JWK> of(IdToken token) {
        return new JWKSelector(JWKMatcher.forJWSHeader(token.header())).select(new JWKSet(keys));
    }

    boolean knows(IdToken token) {
        return !of(token).isEmpty();
    }
}
