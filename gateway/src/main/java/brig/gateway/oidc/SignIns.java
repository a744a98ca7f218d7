package brig.gateway.oidc;

import brig.gateway.config.Config;
import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in of people by an issuer: authorization code with PKCE. The code is exchanged, and the ID token checked, by the
 * gateway; a browser carries nothing but a code that only this gateway can use.
 *
 * <p>Decision 0216.
 */
public final class SignIns {
    /** The path that begins a sign-in. */
    public static final String PATH = "/sign-in/oidc";
    /** The path that the issuer sends browsers back to. */
    public static final String CALLBACK = PATH + "/callback";

    private static final int CODE_MAX = 4_096;
    private static final Pattern ERROR = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    private final Config.Oidc settings;
    private final String secret;
    private final Supplier<String> gateway;
    private final Issuer issuer;
    private final PendingSignIns pending;
    private final Clock clock;

    /**
     * A sign-in that began.
     *
     * @param location where the browser goes
     * @param cookie what the browser keeps until it comes back
     */
    public record Begun(String location, String cookie) {}

    /**
     * @param secret of this client; empty for a public one
     * @param sealKeys for what browsers keep, each 32 bytes, the newest first; gateways with the same end each other's
     *     sign-ins
     * @param gateway where people reach this gateway; known once that listens
     */
    public SignIns(
            Config.Oidc settings,
            String secret,
            List<byte[]> sealKeys,
            Supplier<String> gateway,
            Fetch fetch,
            Clock clock) {
        this.settings = settings;
        this.secret = secret;
        this.gateway = gateway;
        this.issuer = new Issuer(settings.issuer(), fetch, clock);
        this.pending = new PendingSignIns(sealKeys, clock);
        this.clock = clock;
    }

    /** Where people reach this gateway, without a slash at the end. */
    public String gateway() {
        return settings.publicUrl().isEmpty() ? gateway.get() : settings.publicUrl();
    }

    /** What the page calls the issuer. */
    public String label() {
        return settings.label();
    }

    public String issuer() {
        return issuer.url();
    }

    /** How long a person stays signed in. */
    public long sessionMs() {
        return settings.sessionMs();
    }

    /** Asks the issuer what it is. Fails with a {@link SignInRefusal} where people could not sign in now. */
    public CompletionStage<Void> check() {
        return issuer.discovery().thenAccept(known -> {});
    }

    /** Begins a sign-in. Fails with a {@link SignInRefusal}. */
    public CompletionStage<Begun> begin() {
        return issuer.discovery().thenApply(known -> {
            PendingSignIns.Pending begun = pending.begin();
            Map<String, String> query = new LinkedHashMap<>();
            query.put("response_type", "code");
            query.put("client_id", settings.clientId());
            query.put("redirect_uri", gateway() + CALLBACK);
            query.put("scope", scope());
            query.put("state", begun.state());
            query.put("nonce", begun.nonce());
            query.put("code_challenge", challenge(begun.verifier()));
            query.put("code_challenge_method", "S256");
            String join = known.authorization().contains("?") ? "&" : "?";
            return new Begun(known.authorization() + join + form(query), begun.cookie());
        });
    }

    private String scope() {
        return settings.scopes().contains("openid")
                ? String.join(" ", settings.scopes())
                : "openid " + String.join(" ", settings.scopes());
    }

    /**
     * Ends a sign-in. Fails with a {@link SignInRefusal}.
     *
     * @param answer the query with which the issuer sent the browser back
     * @param cookie of the browser; null for none
     */
    public CompletionStage<Person> finish(Map<String, String> answer, @Nullable String cookie) {
        PendingSignIns.Pending begun;
        try {
            begun = pending.find(answer.get("state"), cookie);
        } catch (SignInRefusal refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
        return issuer.discovery()
                .thenCompose(known -> exchange(known, code(known, answer), begun)
                        .thenCompose(text -> {
                            IdToken token = IdToken.parse(text, known.algorithms());
                            return issuer.keysFor(token).thenApply(keys -> person(token, keys, begun));
                        }))
                .exceptionally(failure -> {
                    throw refusal(failure);
                });
    }

    private static RuntimeException refusal(Throwable failure) {
        Throwable cause = Reason.cause(failure);
        return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
    }

    private Person person(IdToken token, SigningKeys keys, PendingSignIns.Pending begun) {
        IdToken.Expected expected = new IdToken.Expected(issuer.url(), settings.clientId(), begun.nonce());
        return Person.of(token.verified(keys, expected, clock.nowMs()), settings);
    }

    private String code(Discovery known, Map<String, String> answer) {
        String by = answer.get("iss");
        if (by == null ? known.namesItself() : !by.equals(issuer.url())) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.STATE, "The answer is of another issuer than oidc.issuer. Begin again.");
        }
        String error = answer.get("error");
        if (error != null) {
            throw refused(error, "oidc.clientId, its redirect URI " + gateway() + CALLBACK + ", and oidc.scopes");
        }
        String code = answer.getOrDefault("code", "");
        if (code.isEmpty() || code.length() > CODE_MAX) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.STATE, "The issuer's answer has no code that can be used. Begin again.");
        }
        return code;
    }

    private static SignInRefusal refused(String error, String check) {
        String named = ERROR.matcher(error).matches() ? error : "an error";
        return new SignInRefusal(
                SignInRefusal.Cause.ISSUER_REFUSED,
                "The issuer refuses the sign-in: " + named + ". Begin again; if it stays so, an operator checks "
                        + check + ".");
    }

    /** The ID token for that code. */
    private CompletionStage<String> exchange(Discovery known, String code, PendingSignIns.Pending begun) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", gateway() + CALLBACK);
        form.put("code_verifier", begun.verifier());
        boolean basic = !secret.isEmpty() && !known.postsSecret();
        if (!basic) {
            form.put("client_id", settings.clientId());
        }
        if (!secret.isEmpty() && known.postsSecret()) {
            form.put("client_secret", secret);
        }
        return issuer.post(known.token(), form(form), basic ? basic() : null).thenApply(SignIns::idToken);
    }

    /** Both parts are encoded as in a form first (RFC 6749, section 2.3.1). */
    private String basic() {
        String both = encoded(settings.clientId()) + ":" + encoded(secret);
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.US_ASCII));
    }

    private static String idToken(Fetch.Answer answer) {
        JsonObject body;
        try {
            body = JsonObject.read(answer.body().getBytes(StandardCharsets.UTF_8));
        } catch (BrigException e) {
            throw SignInRefusal.unavailable("The issuer's token endpoint answers with status " + answer.status()
                    + " and no valid JSON. Try again later.");
        }
        if (answer.status() != 200) {
            throw refused(body.text("error", "status " + answer.status()), "oidc.clientId and oidc.clientSecretFile");
        }
        String token = body.text("id_token", "");
        if (token.isEmpty()) {
            throw SignInRefusal.token("there is none. An operator checks that the issuer knows the scope openid.");
        }
        return token;
    }

    private static String form(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String challenge(String verifier) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
