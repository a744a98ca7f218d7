package brig.workeragent.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EgressConfigTest {
    @Test
    void shouldTakeOneAddressOrAListOfThem() {
        EgressConfig config = JsonObject.readCommented("""
                        {"uid": 900, "hosts": {"a.example": "10.0.0.1", "b.example": ["10.0.0.2", "::1"]}, "extraRoots": [],
                         "auditFileBytesMax": 4096, "auditFilesMax": 1, "auditKeepMs": 0}""").as(EgressConfig.class);
        assertEquals(
                Map.of("a.example", List.of("10.0.0.1"), "b.example", List.of("10.0.0.2", "::1")), config.addresses());
    }
}
