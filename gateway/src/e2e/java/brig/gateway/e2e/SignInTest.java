package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a browser is let in, and what is not: requests as browsers send them, and as others do. */
@Timeout(120)
class SignInTest {
    private static final Pattern LINK = Pattern.compile("(http://[^/]+)/#(brig_[A-Za-z0-9_-]{43})(/.*)?");
    private static final Pattern ASSET = Pattern.compile("/assets/[0-9a-f]{16}/[a-z/.-]+");

    private static Product product;
    private static Web nobody;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
        nobody = product.web().with("");
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    /** What a browser has of a sign-in. */
    private record SignedIn(Web web, String cookie, String key, JsonObject answer) {
        HttpRequest.Builder request(String path) {
            return web.request(path).header("Cookie", cookie).header("Brig-Key", key);
        }

        /** As the page itself asks. */
        HttpRequest.Builder own(String path) {
            return request(path).header("Sec-Fetch-Site", "same-origin");
        }
    }

    private static Matcher link(JsonObject opened) {
        Matcher link = LINK.matcher(opened.text("url", ""));
        assertTrue(link.matches(), opened::toString);
        return link;
    }

    private static Web.Answer present(Web web, String secret) throws IOException {
        return web.send(web.with(secret)
                .request("/api/v1/sign-in")
                .header("Origin", web.url())
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    private static SignedIn signIn(Web web, String secret) throws IOException {
        Web.Answer answer = present(web, secret);
        assertEquals(201, answer.status(), () -> answer.response().body());
        String[] cookie = answer.header("Set-Cookie").split("; ", -1);
        assertEquals(
                List.of("Path=/", "HttpOnly", "SameSite=Strict"),
                List.of(cookie).subList(1, 4));
        assertTrue(cookie[4].startsWith("Max-Age="));
        return new SignedIn(web, cookie[0], answer.json().text("key", ""), answer.json());
    }

    private static SignedIn admin(Product of) throws IOException {
        return signIn(of.web().with(""), link(of.ask("{\"action\":\"open\"}")).group(2));
    }

    private static void refused(int status, String code, Web.Answer answer) {
        assertEquals(status + " " + code, answer.status() + " " + answer.code());
    }

    @Test
    void shouldServeThePageWithoutATokenAndWithItsPolicy() throws IOException {
        Web.Answer page = nobody.get("/");
        assertEquals(200, page.status());
        String policy = page.header("Content-Security-Policy");
        assertTrue(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self'"), policy);
        assertTrue(policy.endsWith("frame-ancestors 'none'; form-action 'none'"), policy);
        assertEquals(
                "nosniff no-referrer", page.header("X-Content-Type-Options") + " " + page.header("Referrer-Policy"));
        String body = page.response().body();
        assertFalse(body.contains("<style") || body.contains("style=") || body.contains("<script>"), "nothing inline");
        assertEquals(
                304,
                nobody.send(nobody.request("/").header("If-None-Match", page.header("ETag")))
                        .status());
        Matcher assets = ASSET.matcher(body);
        int seen = 0;
        for (; assets.find(); seen++) {
            Web.Answer plain = nobody.get(assets.group());
            assertEquals(200, plain.status(), assets::group);
            assertTrue(plain.header("Cache-Control").contains("immutable"));
            Web.Answer packed = nobody.send(nobody.request(assets.group()).header("Accept-Encoding", "br, gzip"));
            assertEquals("gzip", packed.header("Content-Encoding"));
            assertEquals(plain.header("Content-Type"), packed.header("Content-Type"));
        }
        assertTrue(seen > 20, "the page names its files");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/",
                "/assets/x",
                "/assets/../page/files",
                "/assets/%2e%2e/files",
                "/assets/..%2ffiles",
                "/assets/%2e%2e/%2e%2e/brig/gateway/cli/Main.class",
                "/assets/....//files",
                "/assets//etc/passwd",
                "/assets/%00",
                "/assets/@version@/main.js"
            })
    void shouldServeNoFileButItsOwn(String path) throws IOException {
        Web.Answer answer = nobody.send(HttpRequest.newBuilder(URI.create(nobody.url() + path)));
        assertEquals(404, answer.status(), () -> answer.response().body());
    }

    @Test
    void shouldTakeATicketOnce() throws IOException {
        String ticket = link(product.ask("{\"action\":\"open\"}")).group(2);
        SignedIn in = signIn(nobody, ticket);
        assertEquals("admin", in.answer().text("role"));
        assertFalse(in.answer().has("token"), "the secret is told to nobody");
        assertEquals(200, nobody.send(in.own("/api/v1/status")).status());
        refused(401, "UNAUTHENTICATED", present(nobody, ticket));
    }

    @Test
    void shouldCountBothHalvesOnlyAndOnlyHere() throws IOException {
        SignedIn in = admin(product);
        SignedIn again = admin(product);
        refused(
                401,
                "UNAUTHENTICATED",
                nobody.send(nobody.request("/api/v1/status").header("Cookie", in.cookie())));
        refused(
                401,
                "UNAUTHENTICATED",
                nobody.send(nobody.request("/api/v1/status").header("Brig-Key", in.key())));
        refused(
                401,
                "UNAUTHENTICATED",
                nobody.send(nobody.request("/api/v1/status")
                        .header("Cookie", in.cookie())
                        .header("Brig-Key", again.key())));
        String half = in.cookie().substring(in.cookie().indexOf('=') + 1);
        refused(403, "FORBIDDEN", nobody.with("brig_" + half).get("/api/v1/status"));
        try (Product other = Product.start()) {
            SignedIn there = admin(other);
            String renamed = in.cookie().substring(0, in.cookie().indexOf('='))
                    + there.cookie().substring(there.cookie().indexOf('='));
            refused(
                    401,
                    "UNAUTHENTICATED",
                    nobody.send(nobody.request("/api/v1/status")
                            .header("Cookie", renamed)
                            .header("Brig-Key", there.key())));
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "cross-site,-,403",
                "same-site,-,403",
                "none,-,403",
                "-,-,403",
                "-,https://evil.example,403",
                "same-origin,https://evil.example,403",
                "-,null,403",
                "same-origin,-,202",
                "-,own,202",
                "same-origin,own,202"
            })
    void shouldActForItsOwnPageOnly(String site, String origin, int status) throws IOException {
        SignedIn in = admin(product);
        Spawned idle = product.idle("csrf-" + Integer.toHexString((site + origin).hashCode()));
        HttpRequest.Builder request =
                in.request("/api/v1/sessions/" + idle.id() + "/cancel").POST(HttpRequest.BodyPublishers.noBody());
        if (site != null) {
            request.header("Sec-Fetch-Site", site);
        }
        if (origin != null) {
            request.header("Origin", origin.equals("own") ? nobody.url() : origin);
        }
        assertEquals(status, nobody.send(request).status());
        assertEquals(
                site == null || site.equals("same-origin") ? 200 : 403,
                nobody.send(
                                site == null
                                        ? in.request("/api/v1/status")
                                        : in.request("/api/v1/status").header("Sec-Fetch-Site", site))
                        .status());
        product.ask("{\"action\":\"terminate\",\"id\":\"" + idle.id() + "\"}");
    }

    @Test
    void shouldShareOneSessionUntilItIsTakenBack() throws IOException {
        Spawned shown = product.idle("shown");
        Spawned other = product.idle("not-shown");
        Run shared = product.brig("--json", "open", "--share", "shown", "--expires", "2h");
        Matcher link = link(shared.json());
        assertEquals("/session/" + shown.id(), link.group(3));
        SignedIn in = signIn(nobody, link.group(2));
        assertEquals(
                "watcher " + shown.id(),
                in.answer().text("role") + " " + in.answer().text("spawn_id"));
        assertEquals(shared.json().text("id"), in.answer().text("id"), "it is the token of the link itself");
        assertEquals(
                List.of(shown.id()),
                nobody.send(in.own("/api/v1/sessions")).json().objects("sessions").stream()
                        .map(one -> one.text("spawn_id"))
                        .toList());
        refused(401, "UNAUTHENTICATED", nobody.send(in.own("/api/v1/spawns/" + other.id())));
        refused(403, "FORBIDDEN", nobody.send(in.own("/api/v1/status")));
        refused(
                403,
                "FORBIDDEN",
                nobody.send(in.own("/api/v1/sessions/shown/cancel").POST(HttpRequest.BodyPublishers.noBody())));
        String ticket = nobody.send(in.own("/api/v1/tickets").POST(HttpRequest.BodyPublishers.ofString("{}")))
                .json()
                .text("ticket", "");
        try (Socket socket = nobody.socket("/api/v1/ws?ticket=" + ticket)) {
            socket.sendLine("{\"action\":\"subscribe\",\"id\":\"shown\",\"role\":\"watcher\"}");
            assertEquals("session", socket.message().text("type"));
            assertEquals(
                    0,
                    product.brig("token", "revoke", shared.json().text("id", ""))
                            .exitCode());
            String line = socket.line();
            while (line != null) {
                line = socket.line();
            }
            assertEquals(4524, socket.closeCode());
        }
        refused(401, "ATTACH_AUTH_EXPIRED", nobody.send(in.own("/api/v1/sessions")));
        refused(401, "ATTACH_AUTH_EXPIRED", present(nobody, link.group(2)));
    }

    @Test
    void shouldLetNobodyInByAnotherWay() throws IOException {
        refused(401, "UNAUTHENTICATED", present(nobody, ""));
        refused(401, "UNAUTHENTICATED", present(nobody, "nonsense"));
        Spawned spawned = product.idle("own-tokens");
        refused(401, "UNAUTHENTICATED", present(nobody, spawned.captainToken()));
        JsonObject minted = product.ask("{\"action\":\"mint_token\",\"role\":\"captain\",\"captain\":\"alice\"}");
        String ticket = nobody.with(minted.text("token", ""))
                .post("/api/v1/tickets", "{}")
                .json()
                .text("ticket", "");
        refused(403, "FORBIDDEN", present(nobody, ticket));
        SignedIn alice = signIn(nobody, minted.text("token", ""));
        assertEquals(
                "captain alice",
                alice.answer().text("role") + " " + alice.answer().text("captain"));
    }

    @Test
    @Tag("slow")
    void shouldForgetTheCookieAndOutliveTheGateway() throws IOException {
        try (Product own = Product.start()) {
            SignedIn in = admin(own);
            Web.Answer out = in.web().send(in.own("/api/v1/sign-in").DELETE());
            assertTrue(out.header("Set-Cookie").contains("=; ")
                    && out.header("Set-Cookie").endsWith("Max-Age=0"));
            own.stop();
            own.serve();
            String port = own.url().substring(own.url().lastIndexOf(':') + 1);
            Web after = own.web().with("");
            assertEquals(
                    200,
                    after.send(after.request("/api/v1/status")
                                    .header("Brig-Key", in.key())
                                    .header(
                                            "Cookie",
                                            "brig-" + port
                                                    + in.cookie()
                                                            .substring(
                                                                    in.cookie().indexOf('='))))
                            .status());
        }
    }
}
