package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.config.Config;
import brig.protocol.Role;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PersonTest {
    private static final String ISSUER = "https://id.example.org";

    private static Config.Oidc settings(String nameClaim, List<String> domains, Config.RoleRule... rules) {
        return new Config.Oidc(
                ISSUER,
                "brig",
                "",
                "",
                "",
                List.of(),
                nameClaim,
                List.of(rules),
                domains,
                Config.Oidc.NONE.sessionMs());
    }

    private static JsonObject ann(Map<String, Object> more) {
        return JsonObject.of(Map.of("iss", ISSUER, "sub", "17", "email", "ann@example.org", "email_verified", true))
                .overlaid(JsonObject.of(more));
    }

    private static String refusal(JsonObject claims, Config.Oidc settings) {
        SignInRefusal refusal = assertThrows(SignInRefusal.class, () -> Person.of(claims, settings));
        return refusal.reason() + " " + refusal.captain() + " " + refusal.getMessage();
    }

    private static final Config.RoleRule ENGINEERS = new Config.RoleRule("groups", "engineers", Role.CAPTAIN);
    private static final Config.RoleRule EVERYBODY = new Config.RoleRule("iss", ISSUER, Role.WATCHER);

    @Test
    void shouldHaveTheRoleOfTheFirstRuleThatFits() {
        Config.Oidc settings = settings(
                "email",
                List.of(),
                new Config.RoleRule("admin", "true", Role.ADMIN),
                ENGINEERS,
                new Config.RoleRule("team", "support", Role.APPROVER),
                EVERYBODY);
        assertEquals(
                new Person("oidc:ann@example.org", Role.CAPTAIN),
                Person.of(ann(Map.of("groups", List.of("all", "engineers"), "team", "support")), settings));
        assertEquals(
                Role.ADMIN,
                Person.of(ann(Map.of("admin", true, "groups", "engineers")), settings)
                        .role());
        assertEquals(
                Role.APPROVER,
                Person.of(ann(Map.of("team", "support")), settings).role());
        assertEquals(
                Role.WATCHER, Person.of(ann(Map.of("admin", false)), settings).role());
        for (Object other :
                List.of("engineers2", "Engineers", List.of(List.of("engineers")), Map.of("engineers", true), 7L)) {
            assertEquals(
                    Role.WATCHER,
                    Person.of(ann(Map.of("groups", other)), settings).role());
        }
    }

    @Test
    void shouldBeRefusedByNameWithoutARole() {
        String refusal = refusal(ann(Map.of("groups", List.of("guests"))), settings("email", List.of(), ENGINEERS));
        assertTrue(refusal.startsWith("role oidc:ann@example.org oidc:ann@example.org has no role here"), refusal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a\n",
                "a\u0000",
                "<b>",
                "a\"",
                "a'",
                "é",
                "а",
                ":x",
                "/x",
                "@",
                "a,b",
                "a;b",
                "a\\b",
                "%41",
                "#x",
                "\u202eann"
            })
    void shouldRefuseANameThatIsNoneHere(String name) {
        String refusal = refusal(ann(Map.of("sub", name)), settings("sub", List.of(), EVERYBODY));
        assertTrue(refusal.startsWith("name  The ID token has no usable name in the claim sub"), refusal);
        assertFalse(name.length() > 2 && refusal.contains(name), "what is refused is not shown");
    }

    @Test
    void shouldRefuseALongNameAndAClaimThatIsNoText() {
        Config.Oidc settings = settings("sub", List.of(), EVERYBODY);
        assertEquals(
                "oidc:" + "a".repeat(128),
                Person.of(ann(Map.of("sub", "a".repeat(128))), settings).captain());
        assertTrue(refusal(ann(Map.of("sub", "a".repeat(129))), settings).startsWith("name "));
        assertTrue(refusal(ann(Map.of("sub", 7L)), settings).startsWith("name "));
        assertTrue(refusal(ann(Map.of()), settings("upn", List.of(), EVERYBODY)).startsWith("name "));
    }

    @Test
    void shouldBeNobodyElseWhateverTheNameIs() {
        Config.Oidc settings = settings("sub", List.of(), EVERYBODY);
        for (String name : List.of("uid:0", "admin", "token", "nobody", "alice", "oidc:ann")) {
            assertEquals(
                    "oidc:" + name,
                    Person.of(ann(Map.of("sub", name)), settings).captain());
        }
        assertTrue(Person.isOne("oidc:uid:0"));
        assertFalse(Person.isOne("uid:0"));
        assertFalse(Person.isOne("oidc"));
    }

    @Test
    void shouldTakeOnlyAddressesThatTheIssuerVouchesFor() {
        Config.Oidc byEmail = settings("email", List.of(), EVERYBODY);
        assertTrue(refusal(ann(Map.of("email_verified", false)), byEmail).contains("email_verified"));
        assertTrue(refusal(ann(Map.of("email_verified", "yes")), byEmail).contains("email_verified"));
        assertEquals(
                "oidc:ann@example.org",
                Person.of(ann(Map.of("email_verified", "true")), byEmail).captain());
        Config.Oidc bySub = settings("sub", List.of("example.org"), EVERYBODY);
        assertTrue(refusal(ann(Map.of("email_verified", false)), bySub).contains("email_verified"));
        assertEquals("oidc:17", Person.of(ann(Map.of()), bySub).captain());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ann@evil.example",
                "ann@example.org.evil.example",
                "ann@sub.example.org",
                "example.org",
                "@example.org",
                "ann"
            })
    void shouldRefuseAnotherDomain(String email) {
        String refusal = refusal(ann(Map.of("email", email)), settings("sub", List.of("example.org"), EVERYBODY));
        assertTrue(refusal.startsWith("name oidc:17 oidc:17 has no address in oidc.allowedDomains"), refusal);
    }
}
