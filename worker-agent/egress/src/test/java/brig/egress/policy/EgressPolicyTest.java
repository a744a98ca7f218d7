package brig.egress.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EgressPolicyTest {
    private static EgressPolicy read(String json) {
        return EgressPolicy.read(JsonObject.readCommented(json));
    }

    /** The message names the key, the second column. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'allowHosts': []} | allowHosts",
                "{'allowedHosts': 'a.example'} | allowedHosts",
                "{'allowedHosts': ['*']} | allowedHosts[0]",
                "{'allowedHosts': ['a.example', 'https://b.example']} | allowedHosts[1]",
                "{'allowedHosts': ['a.*.example']} | allowedHosts[0]",
                "{'allowedHosts': ['127.1']} | allowedHosts[0]",
                "{'allowedHosts': ['a.example:0']} | allowedHosts[0]",
                "{'allowedHosts': ['a.example:65536']} | allowedHosts[0]",
                "{'allowedHosts': ['10.0.0.0/33']} | allowedHosts[0]",
                "{'allowedHosts': [7]} | allowedHosts[0]",
                "{'allowedHosts': [{'hosts': 'a.example'}]} | allowedHosts[0]",
                "{'allowedHosts': [{'host': 'a.example', 'method': 'GET'}]} | 'method'",
                "{'allowedHosts': [{'host': 'a.example', 'methods': []}]} | methods",
                "{'allowedHosts': [{'host': 'a.example', 'methods': ['get']}]} | methods",
                "{'allowedHosts': [{'host': 'a.example', 'paths': ['x']}]} | paths",
                "{'allowedHosts': [{'host': 'a.example', 'paths': ['/a/../b']}]} | paths",
                "{'deniedHosts': ['']} | deniedHosts[0]",
                "{'tunnelHosts': ['a b']} | tunnelHosts[0]",
                "{'quietHosts': ['a b']} | quietHosts[0]",
                "{'dnsMode': 'off'} | dnsMode",
                "{'auditNetwork': 'yes'} | auditNetwork",
                "{'askMs': -1} | askMs",
                "{'askMs': 3600001} | askMs",
                "{'secrets': {'a-b': {}}} | secrets",
                "{'secrets': {'T': {'host': ['a.example']}}} | secrets.T.host",
                "{'secrets': {'T': {'hosts': ['*']}}} | secrets.T.hosts[0]",
                "{'secrets': {'T': {'envVar': 'A', 'file': '/b'}}} | secrets.T.envVar",
                "{'secrets': {'T': {'file': 'b'}}} | secrets.T.file",
                "{'secrets': {'T': {'command': ['pass']}}} | secrets.T.command",
                "{'modelRoutes': {'a/b': {'baseUrl': 'https://a.example'}}} | a/b",
                "{'modelRoutes': {'a': {}}} | modelRoutes.a.baseUrl",
                "{'modelRoutes': {'a': {'baseUrl': 'ftp://a.example'}}} | modelRoutes.a.baseUrl",
                "{'modelRoutes': {'a': {'baseUrl': 'https://u:p@a.example'}}} | modelRoutes.a.baseUrl",
                "{'modelRoutes': {'a': {'baseUrl': 'https://a.example', 'secret': 'T'}}} | modelRoutes.a.secret",
                "{'modelRoutes': {'a': {'baseUrl': 'https://a.example', 'header': 'X Y'}}} | modelRoutes.a.header"
            })
    void shouldNameTheKeyWhenAValueIsRefused(String json, String key) {
        BrigException refusal = assertThrows(BrigException.class, () -> read(json.replace('\'', '"')));
        assertTrue(refusal.getMessage().contains(key), refusal.getMessage());
    }

    @Test
    void shouldReadWhatItWrites() {
        EgressPolicy policy = read("""
                {"allowedHosts": ["a.example", {"host": "*.b.example:8443", "methods": ["GET"], "paths": ["/v1/"]}],
                 "deniedHosts": ["x.b.example"], "tunnelHosts": ["a.example"], "dnsMode": "trusted",
                 "secrets": {"T": {"hosts": ["a.example"], "command": ["/bin/echo", "x"], "inQuery": true}},
                 "modelRoutes": {"m": {"baseUrl": "https://a.example/api", "secret": "T", "header": "x-api-key"}},
                 "auditNetwork": false, "askMs": 100}""");
        byte[] written = Json.write(policy);
        assertEquals(policy, EgressPolicy.read(JsonObject.read(written)));
        assertEquals(Set.of(22, 80, 443, 8443), policy.ports());
        assertEquals(443, policy.modelRoutes().get("m").port());
    }
}
