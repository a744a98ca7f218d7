package brig.gateway.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortHeadersTest {
    private static final String BASE = "/api/v1/sessions/task/ports/3000";
    private static final PortPath PATH = PortPath.parse(BASE + "/a?b=c");

    private static Map<String, String> toServer(String... headers) {
        MultiMap from = MultiMap.caseInsensitiveMultiMap();
        for (int i = 0; i < headers.length; i += 2) {
            from.add(headers[i], headers[i + 1]);
        }
        Map<String, String> to = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        PortHeaders.toServer(from, PATH)
                .forEach(header -> to.merge(header.getKey(), header.getValue(), (a, b) -> a + " | " + b));
        assertEquals("127.0.0.1:3000", to.remove("Host"));
        assertEquals(BASE, to.remove("X-Forwarded-Prefix"));
        return to;
    }

    private static Map<String, String> toClient(String... headers) {
        HttpHeaders from = new DefaultHttpHeaders();
        for (int i = 0; i < headers.length; i += 2) {
            from.add(headers[i], headers[i + 1]);
        }
        MultiMap to = MultiMap.caseInsensitiveMultiMap();
        PortHeaders.toClient(from, to, PATH);
        assertTrue(to.getAll("Content-Security-Policy").contains(PortHeaders.SANDBOX));
        assertFalse(PortHeaders.SANDBOX.contains("same-origin"));
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        to.forEach(header -> all.merge(header.getKey(), header.getValue(), (a, b) -> a + " | " + b));
        assertEquals("nosniff", all.remove("X-Content-Type-Options"));
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization",
                "authorization",
                "Host",
                "Referer",
                "Forwarded",
                "X-Forwarded-For",
                "X-Forwarded-Prefix",
                "Proxy-Authorization",
                "Connection",
                "Keep-Alive",
                "TE",
                "Transfer-Encoding",
                "Upgrade",
                "Expect",
                "Content-Length",
                "Cookie",
                "HTTP2-Settings",
                "Brig-Key",
                "brig-key",
                "Brig-Apply"
            })
    void shouldNotTellTheServerWhatLetsTheClientIn(String name) {
        assertEquals(Map.of("Accept", "x"), toServer(name, "brig_secret", "Accept", "x"));
    }

    @Test
    void shouldDropWhatConnectionNames() {
        assertEquals(Map.of("Y", "3"), toServer("Connection", "close, X-Own", "X-Own", "1", "Y", "3"));
        assertEquals(
                Map.of("Y", "3", "Content-Security-Policy", PortHeaders.SANDBOX),
                toClient("Connection", "X-Own", "X-Own", "1", "Y", "3", "Keep-Alive", "5"));
    }

    @Test
    void shouldPassCookiesOfThisPortsServerOnly() {
        assertEquals(
                "sid=1; other=a=b",
                toServer(
                                "Cookie",
                                "brig-port-3000-sid=1; session=secret; brig-port-3001-sid=2; brig-port-3000-other=a=b;")
                        .get("Cookie"));
        assertEquals(Map.of(), toServer("Cookie", "session=secret"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sid=1 | brig-port-3000-sid=1; Path=/api/v1/sessions/task/ports/3000/",
                "sid=1; Path=/app; Domain=example.org; HttpOnly; SameSite=Lax |"
                        + " brig-port-3000-sid=1; HttpOnly; SameSite=Lax; Path=/api/v1/sessions/task/ports/3000/app",
                "brig=x; max-age=60; Path=../ | brig-port-3000-brig=x; max-age=60; Path=/api/v1/sessions/task/ports/3000/",
                "__Host-a=1; Secure; Partitioned | brig-port-3000-__Host-a=1; Secure; Path=/api/v1/sessions/task/ports/3000/"
            })
    void shouldGiveCookiesANameAndAPathOfTheirOwn(String set, String seen) {
        assertEquals(seen, toClient("Set-Cookie", set).get("Set-Cookie"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "=x", "no cookie", "a b=1", "a=\u00e9"})
    void shouldSetNoCookieThatIsNone(String set) {
        HttpHeaders from = new DefaultHttpHeaders().add("Set-Cookie", set);
        MultiMap to = MultiMap.caseInsensitiveMultiMap();
        PortHeaders.toClient(from, to, PATH);
        assertFalse(to.contains("Set-Cookie"), to::toString);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Clear-Site-Data",
                "Strict-Transport-Security",
                "Service-Worker-Allowed",
                "Alt-Svc",
                "Access-Control-Allow-Origin",
                "WWW-Authenticate",
                "Set-Cookie2",
                "NEL",
                "Report-To"
            })
    void shouldLetTheServerNotSpeakForTheOrigin(String name) {
        assertEquals(Map.of("Content-Security-Policy", PortHeaders.SANDBOX), toClient(name, "x"));
    }

    @Test
    void shouldKeepThePolicyOfThePageBesideTheSandbox() {
        MultiMap to = MultiMap.caseInsensitiveMultiMap();
        PortHeaders.toClient(new DefaultHttpHeaders().add("Content-Security-Policy", "default-src 'self'"), to, PATH);
        assertEquals(List.of("default-src 'self'", PortHeaders.SANDBOX), to.getAll("Content-Security-Policy"));
    }

    @ParameterizedTest
    @CsvSource({
        "/in, /api/v1/sessions/task/ports/3000/in",
        "http://127.0.0.1:3000/x?y, /api/v1/sessions/task/ports/3000/x?y",
        "http://localhost:3000, /api/v1/sessions/task/ports/3000/",
        "//evil.example/, //evil.example/",
        "http://127.0.0.1:30001/, http://127.0.0.1:30001/",
        "page, page"
    })
    void shouldKeepRedirectsBelowTheBase(String location, String seen) {
        assertEquals(seen, toClient("Location", location).get("Location"));
    }

    @Test
    void shouldPassAnOriginAsTheServersOwn() {
        assertEquals(
                "http://127.0.0.1:3000",
                toServer("Origin", "https://ops.example").get("Origin"));
    }

    @Test
    void shouldTakeAPathApartAsItStands() {
        assertEquals(new PortPath(BASE, 3000, "/a?b=c"), PATH);
        assertEquals("/..%2f/?x=/../", PortPath.parse(BASE + "/..%2f/?x=/../").target());
        for (String wrong : List.of(
                "http://127.0.0.1" + BASE + "/",
                "/api/v1/x/../sessions/task/ports/3000/",
                BASE.replace("3000", "0"),
                BASE.replace("3000", "65536"),
                BASE.replace("3000", "3000000"),
                BASE + "x/",
                BASE.replace("task", "a%2fb"),
                "/api/v1//sessions/task/ports/3000/",
                BASE + "/#x",
                BASE,
                BASE + "?x",
                "*")) {
            assertThrows(BrigException.class, () -> PortPath.parse(wrong), wrong);
        }
    }
}
