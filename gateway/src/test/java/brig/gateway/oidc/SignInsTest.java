package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Reason;
import brig.protocol.Role;
import com.nimbusds.jose.jwk.Curve;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole way of a sign-in, with an issuer that is not behind a socket. */
class SignInsTest {
    private static final String ISSUER = "https://id.example.org/realms/main";
    private static final String GATEWAY = "https://brig.example.org";

    private final TestIssuer issuer = new TestIssuer(ISSUER);
    private long lateMs;
    private SignIns signIns = signIns(TestIssuer.SECRET);

    private SignIns signIns(String secret) {
        return new SignIns(
                TestIssuer.settings(ISSUER),
                secret,
                List.of(new byte[32]),
                () -> "unused",
                issuer,
                () -> System.currentTimeMillis() + lateMs);
    }

    @BeforeEach
    void beAnn() {
        issuer.is("ann@example.org", "engineers");
    }

    private static <T> T now(CompletionStage<T> stage) {
        assertTrue(stage.toCompletableFuture().isDone());
        return stage.toCompletableFuture().join();
    }

    private static SignInRefusal refusal(CompletionStage<?> stage) {
        CompletionException failure = assertThrows(CompletionException.class, () -> now(stage));
        return assertInstanceOf(SignInRefusal.class, Reason.cause(failure));
    }

    private CompletionStage<Person> signIn() {
        SignIns.Begun begun = now(signIns.begin());
        return signIns.finish(TestIssuer.query(issuer.authorize(begun.location())), begun.cookie());
    }

    private static void requireSays(String reason, String why, SignInRefusal refusal) {
        assertEquals(reason, refusal.reason());
        assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
        assertFalse(refusal.getMessage().contains("brig_"), refusal::getMessage);
        assertFalse(refusal.getMessage().contains(TestIssuer.SECRET), refusal::getMessage);
    }

    @Test
    void shouldAskTheIssuerForAPersonAndABrowser() {
        Map<String, String> asked = TestIssuer.query(now(signIns.begin()).location());
        assertEquals("code", asked.get("response_type"));
        assertEquals(TestIssuer.CLIENT, asked.get("client_id"));
        assertEquals(GATEWAY + "/sign-in/oidc/callback", asked.get("redirect_uri"));
        assertEquals("openid email", asked.get("scope"));
        assertEquals("S256", asked.get("code_challenge_method"));
        assertEquals(43, asked.get("code_challenge").length());
        assertEquals("1", asked.get("tenant"));
    }

    @Test
    void shouldKnowThePersonAndTheRole() {
        assertEquals(new Person("oidc:ann@example.org", Role.CAPTAIN), now(signIn()));
        issuer.is("bob@example.org", "guests");
        assertEquals(new Person("oidc:bob@example.org", Role.WATCHER), now(signIn()));
        issuer.is("eve@example.org", "nobodies");
        SignInRefusal refusal = refusal(signIn());
        requireSays("role", "oidc:eve@example.org has no role", refusal);
        assertEquals("oidc:eve@example.org", refusal.captain());
        assertEquals(1, issuer.asked("/keys"), "keys are kept");
        assertEquals(1, issuer.asked("/.well-known/openid-configuration"));
    }

    @Test
    void shouldShowTheSecretAsTheIssuerWantsIt() {
        issuer.say(Map.of("token_endpoint_auth_methods_supported", List.of("client_secret_post")));
        assertEquals(Role.CAPTAIN, now(signIn()).role());
        signIns = signIns("");
        requireSays("issuer_refused", "invalid_client", refusal(signIn()));
        issuer.takePublicClients();
        assertEquals(Role.CAPTAIN, now(signIn()).role());
    }

    @Test
    void shouldTakeAnAnswerOnce() {
        SignIns.Begun begun = now(signIns.begin());
        Map<String, String> answer = TestIssuer.query(issuer.authorize(begun.location()));
        now(signIns.finish(answer, begun.cookie()));
        requireSays("issuer_refused", "invalid_grant", refusal(signIns.finish(answer, begun.cookie())));
    }

    @Test
    void shouldRefuseACodeThatIsForAnotherSignIn() {
        SignIns.Begun mine = now(signIns.begin());
        SignIns.Begun others = now(signIns.begin());
        Map<String, String> answer = new HashMap<>(TestIssuer.query(issuer.authorize(mine.location())));
        answer.put("code", TestIssuer.query(issuer.authorize(others.location())).get("code"));
        requireSays("issuer_refused", "invalid_grant", refusal(signIns.finish(answer, mine.cookie())));
    }

    @ParameterizedTest
    @CsvSource({
        "error,access_denied,issuer_refused,access_denied",
        "error,<script>alert(1)</script>,issuer_refused,an error",
        "iss,https://evil.example,state,another issuer",
        "code,,state,no code"
    })
    void shouldRefuseAnAnswerThatIsNone(String name, String value, String reason, String why) {
        SignIns.Begun begun = now(signIns.begin());
        Map<String, String> answer = new HashMap<>(TestIssuer.query(issuer.authorize(begun.location())));
        answer.put(name, value == null ? "" : value);
        SignInRefusal refusal = refusal(signIns.finish(answer, begun.cookie()));
        requireSays(reason, why, refusal);
        assertFalse(refusal.getMessage().contains("<"), refusal::getMessage);
        assertEquals(0, issuer.asked("/token"));
    }

    @Test
    void shouldWantTheNameOfAnIssuerThatAlwaysTellsIt() {
        issuer.say(Map.of("authorization_response_iss_parameter_supported", true));
        requireSays("state", "another issuer", refusal(signIn()));
        SignIns.Begun begun = now(signIns.begin());
        Map<String, String> answer = new HashMap<>(TestIssuer.query(issuer.authorize(begun.location())));
        answer.put("iss", ISSUER);
        assertEquals(Role.CAPTAIN, now(signIns.finish(answer, begun.cookie())).role());
    }

    @Test
    void shouldAskOnceForAKeyThatItDoesNotKnow() {
        now(signIn());
        issuer.rotate(TestIssuer.OTHER_RSA, TestIssuer.OTHER_RSA);
        assertEquals(Role.CAPTAIN, now(signIn()).role());
        assertEquals(2, issuer.asked("/keys"));
        issuer.rotate(TestIssuer.RSA, TestIssuer.RSA);
        requireSays("id_token", "no key of its kid", refusal(signIn()));
        assertEquals(2, issuer.asked("/keys"), "not so often");
        lateMs = Issuer.UNKNOWN_KEY_MS;
        assertEquals(Role.CAPTAIN, now(signIn()).role());
        assertEquals(3, issuer.asked("/keys"));
    }

    @Test
    void shouldForgetAKeyThatTheIssuerTookBackAfterAnHour() {
        now(signIn());
        issuer.rotate(TestIssuer.RSA, TestIssuer.EC);
        now(signIn());
        lateMs = Issuer.KEPT_MS;
        requireSays("id_token", "no key of its kid", refusal(signIn()));
    }

    @Test
    void shouldSayWhatIsWrongWithTheIssuer() {
        issuer.goDown(true);
        SignInRefusal down = refusal(signIns.begin());
        requireSays("issuer_unavailable", "Connection refused", down);
        assertEquals(503, down.httpStatus());
        issuer.goDown(false);
        SignIns.Begun begun = now(signIns.begin());
        Map<String, String> answer = TestIssuer.query(issuer.authorize(begun.location()));
        issuer.goDown(true);
        requireSays("issuer_unavailable", ISSUER + "/token", refusal(signIns.finish(answer, begun.cookie())));
    }

    @ParameterizedTest
    @CsvSource({
        "issuer,https://id.example.org/realms/main/,a document of another issuer",
        "authorization_endpoint,http://id.example.org/a,authorization_endpoint",
        "authorization_endpoint,javascript:alert(1),authorization_endpoint",
        "token_endpoint,http://127.0.0.1/token,token_endpoint",
        "token_endpoint,https://user@id.example.org/t,token_endpoint",
        "jwks_uri,file:///etc/passwd,jwks_uri",
        "jwks_uri,,jwks_uri"
    })
    void shouldRefuseADocumentThatLeadsElsewhere(String name, String value, String why) {
        issuer.say(Map.of(name, value == null ? "" : value));
        requireSays("issuer_unavailable", why, refusal(signIns.begin()));
    }

    @Test
    void shouldRefuseAnIssuerThatSignsByNothingSafe() {
        issuer.say(Map.of("id_token_signing_alg_values_supported", List.of("none", "HS256", "RS1", "EdDSA")));
        requireSays("issuer_unavailable", "signs ID tokens by nothing of", refusal(signIns.begin()));
        signIns = signIns(TestIssuer.SECRET);
        issuer.say(Map.of("id_token_signing_alg_values_supported", List.of("ES256")));
        requireSays("id_token", "its alg is none of [ES256]", refusal(signIn()));
        issuer.rotate(TestIssuer.EC, TestIssuer.EC);
        assertEquals(Role.CAPTAIN, now(signIn()).role());
    }

    @Test
    void shouldNotBeMisledByATokenEndpoint() {
        issuer.forge(token -> "");
        requireSays("id_token", "there is none", refusal(signIn()));
        issuer.forge(token -> token.substring(0, token.lastIndexOf('.') + 1) + "AAAA");
        requireSays("id_token", "signature", refusal(signIn()));
        issuer.forge(token -> token);
        issuer.claims(Map.of("nonce", "brig_other"));
        requireSays("id_token", "nonce", refusal(signIn()));
        issuer.rotate(TestIssuer.ec(Curve.P_256, "ec-1"), TestIssuer.EC);
        issuer.is("ann@example.org", "engineers");
        signIns = signIns(TestIssuer.SECRET);
        requireSays("id_token", "signature", refusal(signIn()));
    }
}
