package brig.egress.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.address.HostNames;
import brig.protocol.json.JsonObject;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPolicyTest {
    private static HostPolicy policy(String json) {
        return new HostPolicy(EgressPolicy.read(JsonObject.readCommented(json)));
    }

    private static InetAddress address(String literal) {
        return Objects.requireNonNull(HostNames.literal(literal));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"allowedHosts\": []}",
                "{\"deniedHosts\": [\"a.example\"]}",
                "{\"tunnelHosts\": [\"a.example\"]}",
                "{\"secrets\": {\"T\": {\"hosts\": [\"a.example\"]}}}"
            })
    void shouldDenyEverythingWhenNothingIsAllowed(String json) {
        HostPolicy policy = policy(json);
        assertFalse(policy.host("a.example", 443).allowed());
        assertFalse(policy.request("a.example", 80, "GET", "/").allowed());
        assertFalse(policy.host("127.0.0.1", 80).allowed());
        assertFalse(policy.tunnels("a.example", 443));
        assertFalse(policy.policy().isOpen());
    }

    @ParameterizedTest
    @CsvSource({
        "a.example,443,true",
        "a.example,80,true",
        "a.example,22,false",
        "a.example,8443,false",
        "b.a.example,443,false",
        "xa.example,443,false",
        "a.example.evil,443,false",
        "sub.wild.example,443,true",
        "x.y.wild.example,80,true",
        "wild.example,443,false",
        "evilwild.example,443,false",
        ".wild.example,443,false",
        "port.example,8443,true",
        "port.example,443,false",
        "git.example,22,true",
        "x.deep.example,9000,true",
        "x.deep.example,443,false",
        "10.1.2.3,8080,true",
        "10.1.2.3,80,false",
        "10.2.0.1,80,true",
        "10.3.0.1,80,false",
        "0:0:0:0:0:0:0:1,8443,true",
        "0:0:0:0:0:0:0:2,8443,false",
        "192.168.1.1,80,false"
    })
    void shouldAllowExactlyWhatIsListed(String host, int port, boolean allowed) {
        HostPolicy policy = policy("""
                {"allowedHosts": ["A.example", "*.wild.example", "port.example:8443", "git.example:22",
                 "*.deep.example:9000", "10.1.2.3:8080", "10.2.0.0/16", "[::1]:8443"]}""");
        assertEquals(allowed, policy.host(host, port).allowed());
    }

    @Test
    void shouldDenyWhenAHostIsAllowedAndDenied() {
        HostPolicy policy = policy("""
                {"allowedHosts": ["*.example", "10.0.0.0/8", "ok.example:22"], "deniedHosts": ["evil.example", "*.bad.example",
                 "half.example:443", "10.9.0.0/16"]}""");
        assertFalse(policy.host("evil.example", 443).allowed());
        assertFalse(policy.host("evil.example", 443).askable());
        assertEquals(
                "deniedHosts has evil.example",
                policy.host("evil.example", 8080).rule());
        assertFalse(policy.host("x.bad.example", 443).allowed());
        assertTrue(policy.host("bad.example", 443).allowed());
        assertFalse(policy.host("half.example", 443).allowed());
        assertTrue(policy.host("half.example", 80).allowed());
        assertTrue(policy.deniesAddress(address("10.9.1.1"), 80));
        assertFalse(policy.deniesAddress(address("10.8.1.1"), 80));
    }

    @Test
    void shouldStillDenyWhenAPersonAllowsADeniedHost() {
        EgressPolicy policy = EgressPolicy.read(JsonObject.readCommented("{\"deniedHosts\": [\"*.evil.example\"]}"));
        HostPolicy wider = new HostPolicy(policy, List.of("a.evil.example", "b.example:8443"));
        assertFalse(wider.host("a.evil.example", 443).allowed());
        assertTrue(wider.host("b.example", 8443).allowed());
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/v1/x,true",
        "GET,/v1/,true",
        "GET,/v1,false",
        "get,/v1/x,true",
        "POST,/v1/x,false",
        "POST,/up,true",
        "POST,/up/x,true",
        "POST,/upper,false",
        "GET,/v1/../admin,false",
        "GET,/v1/..,false",
        "GET,/v1/%2e%2e/admin,false",
        "GET,/v1/..%2fadmin,false",
        "GET,/v1/.%2E/x,false",
        "GET,/v1//x,false",
        "GET,/v1/x\\..\\y,false",
        "GET,/v1/%252e%252e/x,false",
        "GET,/v1/a..b,true",
        "GET,/v1/..;/x,false",
        "GET,/v1/%5c..,false",
        "DELETE,/up,false"
    })
    void shouldBoundMethodsAndPathsWhenARuleNamesThem(String method, String path, boolean allowed) {
        HostPolicy policy = policy("""
                {"allowedHosts": [{"host": "api.example", "methods": ["GET"], "paths": ["/v1/"]},
                 {"host": "api.example", "methods": ["POST"], "paths": ["/up"]}]}""");
        assertEquals(allowed, policy.request("api.example", 443, method, path).allowed());
    }

    @Test
    void shouldTunnelOnlyWhatIsAllowedWithoutBounds() {
        HostPolicy policy = policy("""
                {"allowedHosts": ["a.example", "git.example:22", {"host": "b.example", "methods": ["GET"]}],
                 "tunnelHosts": ["a.example", "git.example:22", "b.example", "c.example"]}""");
        assertTrue(policy.tunnels("a.example", 443));
        assertTrue(policy.tunnels("git.example", 22));
        assertFalse(policy.tunnels("git.example", 443));
        assertFalse(policy.tunnels("b.example", 443));
        assertFalse(policy.tunnels("c.example", 443));
        assertEquals(Set.of(22, 80, 443), policy.policy().ports());
    }

    @Test
    void shouldOpenAnAddressOnlyWhenItIsListedWithItsPort() {
        HostPolicy policy = policy("{\"allowedHosts\": [\"a.example:8443\", \"127.0.0.1:8443\"]}");
        assertTrue(policy.namesAddress(address("127.0.0.1"), 8443));
        assertFalse(policy.namesAddress(address("127.0.0.1"), 443));
        assertFalse(policy.namesAddress(address("127.0.0.2"), 8443));
    }

    @Test
    void shouldSendASecretOnlyToItsHosts() {
        HostPolicy policy = policy("""
                {"allowedHosts": ["a.example", "b.example"], "secrets": {"T": {"hosts": ["a.example", "*.c.example:8443"]}}}""");
        assertTrue(policy.secretGoesTo("T", "a.example", 443));
        assertFalse(policy.secretGoesTo("T", "b.example", 443));
        assertTrue(policy.secretGoesTo("T", "x.c.example", 8443));
        assertFalse(policy.secretGoesTo("T", "x.c.example", 443));
        assertFalse(policy.secretGoesTo("U", "a.example", 443));
    }

    @Test
    void shouldSayThatAPersonMayAllowWhenNothingForbids() {
        HostPolicy policy = policy("{\"allowedHosts\": [\"a.example\"], \"askMs\": 5}");
        assertTrue(policy.host("b.example", 443).askable());
        assertEquals(
                "allowedHosts does not have b.example",
                policy.host("b.example", 443).rule());
        assertEquals(
                "allowedHosts has a.example with other ports than 22",
                policy.host("a.example", 22).rule());
    }
}
