package brig.gateway.oidc;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.ParseException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An ID token as it came from the token endpoint (OpenID Connect Core 1.0, section 3.1.3.7). Only {@link #verified} makes
 * its claims facts. Of the header only {@code alg} and {@code kid} count: keys that a token brings along, or names by a
 * URL, are not looked at.
 */
final class IdToken {
    static final int CHARACTERS_MAX = 32 * 1024;
    /** How much the clocks of the issuer and of this host may differ. */
    static final long SKEW_SECONDS = 60;

    private static final int KID_MAX = 256;
    private static final Pattern COMPACT = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+");

    private final JWSObject signed;

    /** What a token must say. */
    record Expected(String issuer, String clientId, String nonce) {}

    private IdToken(JWSObject signed) {
        this.signed = signed;
    }

    /** @throws SignInRefusal for one that is not even signed as it must be */
    static IdToken parse(String text, Set<JWSAlgorithm> algorithms) {
        if (text.length() > CHARACTERS_MAX) {
            throw SignInRefusal.token("it has more than " + CHARACTERS_MAX + " characters.");
        }
        if (!COMPACT.matcher(text).matches()) {
            throw SignInRefusal.token("it is no signed token in three parts.");
        }
        JWSObject signed;
        try {
            signed = JWSObject.parse(text);
            var _ = JsonObject.read(signed.getHeader().getParsedBase64URL().decode());
        } catch (ParseException | BrigException | IllegalArgumentException e) {
            throw SignInRefusal.token("its header cannot be read.");
        }
        JWSHeader header = signed.getHeader();
        if (!algorithms.contains(header.getAlgorithm())) {
            throw SignInRefusal.token(
                    "its alg is none of " + algorithms + ", which the issuer announces and Brig takes.");
        }
        if (header.getKeyID() != null && header.getKeyID().length() > KID_MAX) {
            throw SignInRefusal.token("its kid has more than " + KID_MAX + " characters.");
        }
        if (header.getCriticalParams() != null) {
            throw SignInRefusal.token("its header has crit, and no extension is known here.");
        }
        if (header.getType() != null && !header.getType().equals(JOSEObjectType.JWT)) {
            throw SignInRefusal.token("its typ is not JWT: it is a token for another use.");
        }
        return new IdToken(signed);
    }

    JWSHeader header() {
        return signed.getHeader();
    }

    /** Its claims. @throws SignInRefusal if one of the issuer's keys did not sign it, or it is not for this sign-in */
    JsonObject verified(SigningKeys keys, Expected expected, long nowMs) {
        List<JWK> candidates = keys.of(this);
        if (candidates.isEmpty()) {
            throw SignInRefusal.token(
                    "the issuer has no key of its kid. If the issuer changed its keys just now: begin again"
                            + " in half a minute.");
        }
        if (candidates.stream().noneMatch(this::isSignedBy)) {
            throw SignInRefusal.token("its signature is not one of the issuer's key.");
        }
        JsonObject claims;
        try {
            claims = JsonObject.read(signed.getPayload().toBytes());
        } catch (BrigException e) {
            throw SignInRefusal.token("its claims are no valid JSON: " + e.getMessage());
        }
        requireFor(expected, claims);
        requireNow(claims, nowMs / 1000);
        return claims;
    }

    private boolean isSignedBy(JWK key) {
        try {
            JWSVerifier verifier = switch (key) {
                case RSAKey rsa -> new RSASSAVerifier(rsa);
                case ECKey ec -> new ECDSAVerifier(ec);
                default -> null;
            };
            return verifier != null && signed.verify(verifier);
        } catch (JOSEException | IllegalStateException unfit) {
            return false;
        }
    }

    private static void requireFor(Expected expected, JsonObject claims) {
        if (!expected.issuer().equals(claims.text("iss"))) {
            throw SignInRefusal.token("its iss is not oidc.issuer.");
        }
        Object aud = claims.value("aud");
        List<String> audience = aud instanceof String one ? List.of(one) : claims.texts("aud");
        if (!audience.contains(expected.clientId())) {
            throw SignInRefusal.token("its aud is not oidc.clientId.");
        }
        boolean alone = aud instanceof String || claims.elements("aud").size() == 1;
        if (claims.has("azp") ? !expected.clientId().equals(claims.value("azp")) : !alone) {
            throw SignInRefusal.token("its azp is not oidc.clientId.");
        }
        if (!isSame(expected.nonce(), claims.text("nonce"))) {
            throw SignInRefusal.token("its nonce is that of another sign-in.");
        }
        if (claims.text("sub", "").isEmpty()) {
            throw SignInRefusal.token("it has no sub.");
        }
    }

    private static boolean isSame(String text, @Nullable String other) {
        return other != null
                && MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static void requireNow(JsonObject claims, long nowSeconds) {
        if (seconds(claims, "exp") <= nowSeconds - SKEW_SECONDS) {
            throw SignInRefusal.token("it has expired. Check the clock of this host.");
        }
        if (seconds(claims, "iat") > nowSeconds + SKEW_SECONDS
                || (claims.has("nbf") && seconds(claims, "nbf") > nowSeconds + SKEW_SECONDS)) {
            throw SignInRefusal.token("it is of a later time than now. Check the clock of this host.");
        }
    }

    private static double seconds(JsonObject claims, String name) {
        if (claims.value(name) instanceof Number number) {
            return number.doubleValue();
        }
        throw SignInRefusal.token("its " + name + " is no number.");
    }
}
