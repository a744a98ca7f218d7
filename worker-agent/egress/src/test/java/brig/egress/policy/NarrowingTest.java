package brig.egress.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NarrowingTest {

    private static Narrowing hosts(String... hosts) {
        return new Narrowing(List.of(hosts), Map.of(), null, false);
    }

    private static EgressPolicy policy(Object... allowed) {
        return EgressPolicy.read(JsonObject.of(Map.of("allowedHosts", List.of(allowed))));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # policy          wanted            both
            a.test,           a.test,           a.test
            a.test,           b.test,           ''
            *.a.test,         x.a.test,         x.a.test
            *.a.test,         a.test,           ''
            *.a.test,         *.b.a.test,       *.b.a.test
            *.b.a.test,       *.a.test,         *.b.a.test
            *.a.test,         *.a.test,         *.a.test
            x.a.test,         *.a.test,         x.a.test
            a.test,           *.a.test,         ''
            a.test,           xa.test,          ''
            *.a.test,         xa.test,          ''
            a.test,           a.test:443,       a.test:443
            a.test,           a.test:8443,      ''
            a.test:8443,      a.test,           ''
            a.test:443,       a.test,           a.test:443
            a.test:8443,      a.test:8443,      a.test:8443
            a.test:8443,      *.test:8443,      a.test:8443
            a.test:8443,      a.test:9443,      ''
            10.0.0.0/8,       10.1.2.3,         10.1.2.3
            10.1.2.3:80,      10.0.0.0/8,       10.1.2.3:80
            10.0.0.0/8,       11.1.2.3,         ''
            10.1.0.0/16,      10.0.0.0/8,       10.1.0.0/16
            a.test,           10.1.2.3,         ''
            [2001:db8::1]:443, 2001:db8::1,     [2001:db8::1]:443
            2001:db8::1,      [2001:db8::1]:443, [2001:db8::1]:443
            2001:db8::/32,    [2001:db8::1]:80, [2001:db8::1]:80
            [2001:db8::/32]:80, 2001:db8::1,    [2001:db8::1]:80
            """)
    void shouldLeaveWhatBothHave(String allowed, String wanted, String both) {
        List<?> expected = both.isEmpty() ? List.of() : List.of(both);
        assertEquals(expected, hosts(wanted).of(policy(allowed)).allowedHosts());
    }

    @Test
    void shouldDenyAllWhenNothingIsWanted() {
        assertEquals(List.of(), hosts().of(policy("a.test", "*.b.test")).allowedHosts());
    }

    @Test
    void shouldKeepMethodsAndPathsOfThePolicy() {
        EgressPolicy bounded = policy(Map.of("host", "*.a.test", "methods", List.of("GET"), "paths", List.of("/v1")));
        assertEquals(
                List.of(JsonObject.of(Map.of("host", "x.a.test", "methods", List.of("GET"), "paths", List.of("/v1")))),
                hosts("x.a.test").of(bounded).allowedHosts());
    }

    @Test
    void shouldKeepDenialsAndWhatElseThePolicySays() {
        EgressPolicy policy = EgressPolicy.read(JsonObject.of(
                Map.of("allowedHosts", List.of("*.a.test"), "deniedHosts", List.of("x.a.test"), "askMs", 7L)));
        EgressPolicy narrowed = hosts("x.a.test").of(policy);
        assertEquals(List.of("x.a.test"), narrowed.deniedHosts());
        assertEquals(7, narrowed.askMs());
    }

    @Test
    void shouldTakeTheStricterOfModesWhenBothSayOne() {
        EgressPolicy trusted = EgressPolicy.read(JsonObject.of(Map.of("dnsMode", "trusted", "auditNetwork", false)));
        assertEquals(
                "synthetic",
                new Narrowing(List.of(), Map.of(), DnsMode.SYNTHETIC, false)
                        .of(trusted)
                        .dnsMode());
        assertEquals(
                "trusted",
                new Narrowing(List.of(), Map.of(), DnsMode.OPEN, false)
                        .of(trusted)
                        .dnsMode());
        assertTrue(new Narrowing(List.of(), Map.of(), null, true).of(trusted).auditNetwork());
    }

    @Test
    void shouldLeaveSecretsThatAreWantedAndOnlyWhereBothWantThem() {
        EgressPolicy policy = EgressPolicy.read(JsonObject.of(Map.of(
                "secrets",
                Map.of(
                        "TOKEN", Map.of("hosts", List.of("*.a.test", "b.test"), "file", "/etc/token"),
                        "OTHER", Map.of("hosts", List.of("c.test"))))));
        var wanted = new Narrowing(
                List.of(), Map.of("TOKEN", List.of("x.a.test", "c.test"), "NEW", List.of("d.test")), null, false);
        Map<String, EgressPolicy.Secret> secrets = wanted.of(policy).secrets();
        assertEquals(Set.of("TOKEN"), secrets.keySet());
        assertEquals(List.of("x.a.test"), secrets.get("TOKEN").hosts());
        assertEquals("/etc/token", secrets.get("TOKEN").file());
    }

    @Test
    void shouldKeepTheSecretOfAModelRouteForThatAlone() {
        EgressPolicy policy = EgressPolicy.read(JsonObject.of(Map.of(
                "secrets", Map.of("KEY", Map.of("hosts", List.of("api.a.test"))),
                "modelRoutes", Map.of("a", Map.of("baseUrl", "https://api.a.test", "secret", "KEY")))));
        EgressPolicy narrowed = hosts("api.a.test").of(policy);
        assertEquals(List.of(), narrowed.secrets().get("KEY").hosts());
        assertEquals(policy.modelRoutes(), narrowed.modelRoutes());
    }

    @Test
    void shouldRefuseWhatIsNoHost() {
        assertThrows(IllegalArgumentException.class, () -> hosts("http://a.test/"));
    }
}
