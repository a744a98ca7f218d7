package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.oidc.TestIssuer;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in of people by an issuer, the whole way, with the requests that a browser sends. */
@Timeout(120)
class OidcTest {
    private static final String SHELL = "{\"agent_config\":{\"name\":\"shell\"}}";

    @TempDir
    private static Path folder;

    private static IssuerServer server;
    private static TestIssuer issuer;
    private static Product product;
    private static Web nobody;

    @BeforeAll
    static void start() throws IOException {
        server = new IssuerServer();
        issuer = server.issuer();
        product = Product.start(server.settings(folder));
        nobody = product.web().with("");
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
        server.close();
    }

    /** A browser that was led to the issuer and back, and has not asked the gateway yet. */
    private record Back(String cookie, String callback) {
        Web.Answer ask(String withCookie) throws IOException {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(callback));
            return nobody.send(withCookie.isEmpty() ? request : request.header("Cookie", withCookie));
        }

        Web.Answer ask() throws IOException {
            return ask(cookie);
        }
    }

    /** A browser whose page is signed in. */
    private record SignedIn(Web web, String cookie, JsonObject me) {
        HttpRequest.Builder own(String path) {
            return web.request(path)
                    .header("Cookie", cookie)
                    .header("Brig-Key", me.text("key", ""))
                    .header("Origin", web.url())
                    .header("Content-Type", "application/json");
        }

        Web.Answer get(String path) throws IOException {
            return web.send(own(path));
        }

        Web.Answer spawn(String query) throws IOException {
            return web.send(own("/api/v1/spawns" + query).POST(HttpRequest.BodyPublishers.ofString(SHELL)));
        }
    }

    private static Back back(Product of) throws IOException {
        Web web = of.web().with("");
        Web.Answer begun = web.get("/sign-in/oidc");
        assertEquals(303, begun.status(), () -> begun.response().body());
        List<String> cookie = List.of(begun.header("Set-Cookie").split("; ", -1));
        assertEquals(List.of("Path=/sign-in/oidc", "HttpOnly", "SameSite=Lax", "Max-Age=600"), cookie.subList(1, 5));
        Web.Answer agreed = nobody.send(HttpRequest.newBuilder(URI.create(begun.header("Location"))));
        assertEquals(303, agreed.status());
        assertTrue(agreed.header("Location").startsWith(of.url() + "/sign-in/oidc/callback?"), agreed::toString);
        return new Back(cookie.getFirst(), agreed.header("Location"));
    }

    private static SignedIn signIn(Product of, String email, String group) throws IOException {
        issuer.is(email, group);
        Web.Answer known = back(of).ask();
        assertEquals(303, known.status(), () -> known.response().body());
        assertTrue(known.header("Set-Cookie").contains("-oidc=;"), () -> known.header("Set-Cookie"));
        String link = known.header("Location");
        assertTrue(link.matches(of.url() + "/#brig_[A-Za-z0-9_-]{43}/"), link);
        Web web = of.web().with("");
        String ticket = link.substring(link.indexOf('#') + 1, link.length() - 1);
        assertEquals(401, web.get("/api/v1/sessions?ticket=" + ticket).status(), "it signs in, and nothing else");
        assertEquals(401, present(web, ticket).status(), "it is used up");
        Web.Answer again = back(of).ask();
        link = again.header("Location");
        Web.Answer signedIn = present(web, link.substring(link.indexOf('#') + 1, link.length() - 1));
        assertEquals(201, signedIn.status(), () -> signedIn.response().body());
        return new SignedIn(web, signedIn.header("Set-Cookie").split("; ", 2)[0], signedIn.json());
    }

    private static Web.Answer present(Web web, String secret) throws IOException {
        return web.send(web.with(secret)
                .request("/api/v1/sign-in")
                .header("Origin", web.url())
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    /** A page that says why somebody is not signed in. */
    private static void refused(int status, String why, Web.Answer answer) {
        String body = answer.response().body();
        assertEquals(status, answer.status(), body);
        assertEquals("text/html; charset=utf-8", answer.header("Content-Type"));
        assertTrue(answer.header("Content-Security-Policy").startsWith("default-src 'none'"));
        assertTrue(body.contains("<h1>You are not signed in</h1>") && body.contains(why), body);
        assertFalse(body.contains("brig_"), body);
    }

    /** The log is written by a thread of its own. */
    private static void requireLogged(Product of, String... parts) throws IOException {
        Await.until(String.join(" ", parts), () -> logged(of, parts));
    }

    private static boolean logged(Product of, String... parts) throws IOException {
        return Files.readAllLines(of.log()).stream()
                .anyMatch(line -> List.of(parts).stream().allMatch(line::contains));
    }

    @Test
    void shouldActAsThePersonUntilTheSignOut() throws IOException {
        SignedIn ann = signIn(product, "ann@example.org", "engineers");
        assertEquals(
                "oidc:ann@example.org captain",
                ann.me().text("captain") + " " + ann.me().text("role"));
        long lives = ann.me().number("expires_ms", 0) - ann.me().number("created_ms", 0);
        assertEquals(43_200_000, lives);
        Web.Answer spawned = ann.spawn("?wait=60s");
        assertEquals(201, spawned.status(), () -> spawned.response().body());
        String id = spawned.json().text("spawn_id", "");
        assertEquals(
                "oidc:ann@example.org",
                product.web().get("/api/v1/spawns/" + id).json().text("captain"));
        assertEquals("MAX_WORKERS_PER_CAPTAIN", ann.spawn("").code(), "the limit goes by the name");
        SignedIn other = signIn(product, "ann2@example.org", "engineers");
        assertEquals(0, other.get("/api/v1/spawns").json().objects("spawns").size(), "the sessions too");
        assertEquals("UNAUTHENTICATED", other.get("/api/v1/spawns/" + id).code());
        requireLogged(
                product,
                "sign_in",
                "captain=oidc:ann@example.org",
                "role=captain",
                ann.me().text("id"));
        requireLogged(product, "spawn", "captain=oidc:ann@example.org", id);
        String listed = product.brig("token", "list").out();
        assertTrue(
                listed.contains("oidc:ann@example.org")
                        && listed.contains(ann.me().text("id")),
                listed);
        product.ask("{\"action\":\"terminate\",\"id\":\"" + id + "\"}");
        assertEquals(200, ann.web().send(ann.own("/api/v1/sign-in").DELETE()).status());
        assertEquals("ATTACH_AUTH_EXPIRED", ann.get("/api/v1/spawns").code());
        requireLogged(
                product, "sign_out", "captain=oidc:ann@example.org", ann.me().text("id"));
        String log = Files.readString(product.log());
        assertFalse(log.contains("brig_") || log.contains(TestIssuer.SECRET), log);
    }

    @Test
    void shouldGiveAWatcherNoMoreThanThat() throws IOException {
        SignedIn bob = signIn(product, "bob@example.org", "guests");
        assertEquals("watcher", bob.me().text("role"));
        assertEquals("FORBIDDEN", bob.spawn("").code());
        assertEquals(200, bob.get("/api/v1/sessions").status());
        assertEquals("FORBIDDEN", bob.get("/api/v1/doctor").code());
    }

    @Test
    void shouldRefuseByNameWhomNoRuleFits() throws IOException {
        issuer.is("eve@example.org", "nobodies");
        refused(403, "oidc:eve@example.org has no role here", back(product).ask());
        requireLogged(product, "sign_in_refused", "captain=oidc:eve@example.org", "reason=role");
        issuer.claims(Map.of("email", "eve@example.org", "email_verified", false, "groups", "engineers"));
        refused(403, "email_verified", back(product).ask());
        issuer.claims(Map.of("email", "<img src=x>@example.org", "email_verified", true, "groups", "engineers"));
        Web.Answer markup = back(product).ask();
        refused(403, "no usable name", markup);
        assertFalse(markup.response().body().contains("<img"));
    }

    @Test
    void shouldTakeAnAnswerOnceAndOfItsBrowserAlone() throws IOException {
        issuer.is("ann@example.org", "engineers");
        Back one = back(product);
        assertEquals(303, one.ask().status());
        refused(403, "invalid_grant", one.ask());
        Back other = back(product);
        refused(400, "another browser", back(product).ask(other.cookie()));
        refused(400, "another browser", back(product).ask(""));
        assertNotEquals(one.cookie(), other.cookie());
        assertEquals(303, other.ask().status(), "it waits until its own browser comes");
        Back twice = back(product);
        Web.Answer doubled = nobody.send(HttpRequest.newBuilder(URI.create(twice.callback() + "&state=x"))
                .header("Cookie", twice.cookie()));
        assertEquals("INVALID_FIELD", doubled.code());
        refused(400, "No sign-in waits", nobody.get("/sign-in/oidc/callback"));
        refused(400, "another browser", nobody.get("/sign-in/oidc/callback?code=x&state=y"));
        requireLogged(product, "sign_in_refused", "reason=state");
    }

    @Test
    void shouldBeForHostsOfTheGatewayAlone() throws IOException {
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send("GET /sign-in/oidc HTTP/1.1\r\nHost: evil.example\r\n\r\n");
            assertTrue(wire.line().contains(" 403 "));
        }
    }

    @Test
    @Tag("slow")
    void shouldFollowTheIssuersKeysAndTellWhenItIsDown() throws IOException {
        try (Product own = Product.prepare(server.settings(folder))) {
            server.breakDown(true);
            try {
                own.serve();
                requireLogged(own, "people cannot sign in", server.url());
                refused(
                        503,
                        "The issuer answers with status 500",
                        own.web().with("").get("/sign-in/oidc"));
                String doctor = own.web().get("/api/v1/doctor").response().body();
                assertTrue(doctor.contains("sign-in") && doctor.contains("oidc.issuer"), doctor);
            } finally {
                server.breakDown(false);
            }
            signIn(own, "ann@example.org", "engineers");
            issuer.rotate(TestIssuer.OTHER_RSA, TestIssuer.OTHER_RSA);
            try {
                signIn(own, "ann@example.org", "engineers");
            } finally {
                issuer.rotate(TestIssuer.RSA, TestIssuer.RSA, TestIssuer.EC);
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldEndWhenItIsRevokedAndWithItsIssuer() throws IOException {
        try (Product own = Product.start(server.settings(folder))) {
            SignedIn ann = signIn(own, "ann@example.org", "engineers");
            SignedIn too = signIn(own, "ann@example.org", "engineers");
            assertEquals(0, own.brig("token", "revoke", ann.me().text("id", "")).exitCode());
            assertEquals("ATTACH_AUTH_EXPIRED", ann.get("/api/v1/sessions").code());
            own.keepPort();
            own.stop();
            own.serve();
            assertEquals(200, too.get("/api/v1/sessions").status(), "a restart ends no sign-in");
            own.stop();
            Path known = own.folder().resolve("state/oidc.issuer");
            assertEquals(server.url() + "\n", Files.readString(known));
            Files.writeString(known, "https://other.example.org\n");
            Run refused = own.brig("serve");
            assertNotEquals(0, refused.exitCode());
            assertTrue(
                    refused.err().contains("people of https://other.example.org")
                            && refused.err().contains("delete"),
                    refused::err);
            Files.delete(known);
            own.serve();
            assertEquals("UNAUTHENTICATED", too.get("/api/v1/sessions").code(), "whoever that was");
        }
    }

    @Test
    void shouldBeOffByDefault() throws IOException {
        try (Product own = Product.start()) {
            Web web = own.web().with("");
            assertEquals("NOT_FOUND", web.get("/sign-in/oidc").code());
            assertEquals(
                    "NOT_FOUND",
                    web.get("/sign-in/oidc/callback?code=x&state=y").code());
            assertFalse(web.get("/api/v1/sign-in").json().has("issuer"));
            assertFalse(Files.exists(own.folder().resolve("state/oidc.issuer")));
        }
        JsonObject issuerHere = nobody.get("/api/v1/sign-in").json().object("issuer");
        assertEquals("Example", issuerHere.text("label"));
        assertEquals(product.url() + "/sign-in/oidc", issuerHere.text("url"));
        assertNull(issuerHere.text("client_id"));
    }
}
