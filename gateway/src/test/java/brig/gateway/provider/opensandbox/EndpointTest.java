package brig.gateway.provider.opensandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.http.Location;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.EndpointAnswer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    private static final Location SERVER = Location.ofUrl("https://sandboxes.example.com:8443/v1");
    private static final List<String> HOSTS = List.of("gateway.example.com", "*.ports.example.com:444");

    private static Endpoint endpoint(String text, Map<String, String> headers) {
        return Endpoint.of(new EndpointAnswer(text, headers), SERVER, HOSTS);
    }

    @Test
    void shouldTakeTheServerAndWhatTheSettingsName() {
        assertEquals(
                new Location("sandboxes.example.com", 8443, "/sandboxes/id/proxy/7777"),
                endpoint("sandboxes.example.com:8443/sandboxes/id/proxy/7777", Map.of())
                        .at());
        assertEquals(
                "gateway.example.com",
                endpoint("gateway.example.com/id/7777", Map.of()).at().host());
        assertEquals(
                "id-7777.ports.example.com",
                endpoint("id-7777.ports.example.com:444", Map.of()).at().host());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "169.254.169.254/latest/meta-data",
                "169.254.169.254:8443",
                "sandboxes.example.com",
                "sandboxes.example.com:22",
                "sandboxes.example.com:8443@169.254.169.254/",
                "user@sandboxes.example.com:8443",
                "sandboxes.example.com:8443\\@evil.example.com",
                "http://sandboxes.example.com:8443",
                "https://sandboxes.example.com:8443",
                "//sandboxes.example.com:8443",
                "evil.example.com/sandboxes.example.com:8443",
                "sandboxes.example.com.evil.example.org:8443",
                "gateway.example.com:8443",
                "other.gateway.example.com",
                "ports.example.com:444",
                "xports.example.com:444",
                "id.ports.example.com",
                "sandboxes.example.com:8443/../../admin",
                "sandboxes.example.com:8443/a?b=c",
                "sandboxes.example.com:8443/a\r\nX: y",
                "localhost:8443",
                "127.0.0.1:8443",
                "[::ffff:169.254.169.254]:8443"
            })
    void shouldTakeNothingElse(String text) {
        assertEquals(
                Kind.UNTRUSTED,
                assertThrows(ProviderFailure.class, () -> endpoint(text, Map.of()))
                        .kind());
    }

    @Test
    void shouldTakeNoAnswerWithoutAnEndpoint() {
        assertThrows(ProviderFailure.class, () -> Endpoint.of(new EndpointAnswer(null, Map.of()), SERVER, HOSTS));
    }

    private static void refused(Map<String, String> headers) {
        assertThrows(ProviderFailure.class, () -> endpoint("sandboxes.example.com:8443/a", headers), headers::toString);
    }

    @Test
    void shouldTakeHeadersThatChangeNothingOfTheConnection() {
        Map<String, String> good = Map.of("OpenSandbox-Secure-Access", "a b", "OpenSandbox-Ingress-To", "id-7777");
        Endpoint endpoint = endpoint("sandboxes.example.com:8443/a", good);
        assertEquals(good, endpoint.headers());
        assertFalse(endpoint.toString().contains("a b"));
        for (String name : List.of(
                "Host", "upgrade", "Connection", "Sec-WebSocket-Key", "Content-Length", "a b", "a:", "", "x\r\ny")) {
            refused(Map.of(name, "value"));
        }
        for (String value : List.of("", " a", "a\r\nHost: b", "a\0", "é", "a".repeat(2000))) {
            refused(Map.of("X-Header", value));
        }
        refused(IntStream.range(0, 17).boxed().collect(Collectors.toMap(number -> "X-" + number, number -> "v")));
        refused(Map.of("X-One", "a", "Transfer-Encoding", "chunked"));
    }
}
