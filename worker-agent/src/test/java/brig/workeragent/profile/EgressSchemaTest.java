package brig.workeragent.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The key {@code egress} of a policy: the schema and the code refuse the same. */
class EgressSchemaTest {
    private static final String POLICY = """
            {"description": "", "mounts": {"/workspace": {"hostPath": ".", "readonly": false}}, "environment": [],
             "privateFiles": []%s}""";

    private static String faults(String policy) throws IOException {
        String schema = Files.readString(Path.of("../config/policies/policy.schema.json"));
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(schema)
                .validate(policy, InputFormat.JSON)
                .toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{'allowedHosts': []}",
                "{'allowedHosts': ['a.example', '*.b.example:8443', '10.0.0.0/8', '[::1]:443', {'host': 'c', 'methods': ['GET'], 'paths': ['/v1/']}]}",
                "{'deniedHosts': ['x.example'], 'tunnelHosts': ['git.example:22'], 'dnsMode': 'open', 'askMs': 5, 'auditNetwork': false}",
                "{'secrets': {'T': {'hosts': ['a.example'], 'file': '/x', 'inQuery': true, 'allowPlaintext': false}}}",
                "{'secrets': {'T': {}}, 'modelRoutes': {'m': {'baseUrl': 'https://a.example/v1', 'secret': 'T', 'header': 'x-api-key'}}}"
            })
    void shouldPassBothWhenItIsGood(String egress) throws IOException {
        String policy = POLICY.formatted(egress.isEmpty() ? "" : ", \"egress\": " + egress.replace('\'', '"'));
        assertEquals("[]", faults(policy));
        assertEquals(
                egress.contains("allowedHosts': ['") || egress.contains("modelRoutes") || egress.contains("askMs"),
                JsonObject.readCommented(policy).as(Policy.class).egress().isOpen());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "'all'",
                "null",
                "{'allowHosts': []}",
                "{'allowedHosts': ['*']}",
                "{'allowedHosts': [{'hosts': 'a'}]}",
                "{'allowedHosts': [{'host': 'a', 'methods': []}]}",
                "{'dnsMode': 'off'}",
                "{'askMs': -1}",
                "{'secrets': {'T': {'x': 1}}}",
                "{'secrets': {'a-b': {}}}",
                "{'modelRoutes': {'m': {}}}",
                "{'modelRoutes': {'m': {'baseUrl': 'ftp://x'}}}"
            })
    void shouldFailBothWhenItIsNot(String egress) throws IOException {
        String policy = POLICY.formatted(", \"egress\": " + egress.replace('\'', '"'));
        assertFalse(faults(policy).equals("[]"), policy);
        assertThrows(BrigException.class, () -> JsonObject.readCommented(policy).as(Policy.class));
    }
}
