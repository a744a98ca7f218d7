package brig.egress.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.secret.Secrets;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestReportsTest {
    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(77), ZoneOffset.UTC);
    private static final Secrets SECRETS = new Secrets(
            Map.of("T", "BRIG_SECRET_" + "0123456789abcdef".repeat(3)), Map.of("T", "planted-value"), Map.of());

    private final List<AuditLine> audit = new ArrayList<>();
    private final List<EgressEvent> events = new ArrayList<>();
    private final RequestReports reports = new RequestReports("spn_1", "shell", audit::add, events::add, CLOCK);
    private HostPolicy policy = new HostPolicy(EgressPolicy.NONE);

    private static RequestRecord record(String host, int port, String path) {
        return new RequestRecord(
                RequestRecord.Kind.REQUEST, "GET", "https", new HostPort(host, port), path, System.nanoTime());
    }

    private static RequestRecord allowed(String host, int port) {
        RequestRecord record = record(host, port, "/x");
        record.allow("allowedHosts has " + host);
        record.answer(200);
        return record;
    }

    private static RequestRecord blocked(String host) {
        RequestRecord record = record(host, 443, "/x");
        record.refuse(Refusal.blocked("no rule"));
        return record;
    }

    private void decide(RequestRecord record) {
        reports.handleDecided(record, policy, SECRETS);
    }

    @Test
    void shouldTellOfAHostThatWasAllowedOnceAndAuditEachRequest() {
        decide(allowed("a.example", 443));
        decide(allowed("a.example", 443));
        decide(allowed("a.example", 80));
        assertEquals(3, audit.size());
        assertEquals(2, events.size());
        assertInstanceOf(EgressEvent.Allowed.class, events.getFirst());
        assertEquals(77, audit.getFirst().ts());
        assertEquals("spn_1", audit.getFirst().spawnId());
        assertEquals("shell", audit.getFirst().agent());
    }

    @Test
    void shouldTellOfEachRefusalButOfThoseThatAreExpectedOnce() {
        policy = new HostPolicy(EgressPolicy.read(JsonObject.readCommented("{\"quietHosts\":[\"quiet.example\"]}")));
        for (int i = 0; i < 2; i++) {
            decide(blocked("a.example"));
            decide(blocked("quiet.example"));
        }
        assertEquals(
                List.of(EgressEvent.Blocked.class, EgressEvent.Quiet.class, EgressEvent.Blocked.class),
                events.stream().map(Object::getClass).toList());
        assertEquals(4, audit.size());
    }

    @Test
    void shouldAuditOnlyRefusalsWhereThePolicyWantsNoMore() {
        policy = new HostPolicy(EgressPolicy.read(JsonObject.readCommented("{\"auditNetwork\":false}")));
        decide(allowed("a.example", 443));
        decide(blocked("b.example"));
        assertEquals(List.of("b.example"), audit.stream().map(AuditLine::host).toList());
    }

    @Test
    void shouldTellNobodyOfARequestThatTheNetworkFailed() {
        RequestRecord failed = allowed("a.example", 443);
        failed.refuse(Refusal.unreachable("no connection"));
        decide(failed);
        assertEquals(AuditEvent.Decision.FAILED, audit.getFirst().decision());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldShowNoValueNoControlCharacterAndNoEndlessText() {
        RequestRecord record = record("a.example", 443, "/planted-value\u0007\u2028" + "x".repeat(2000));
        record.refuse(Refusal.blocked("no rule"));
        decide(record);
        String path = ((EgressEvent.Blocked) events.getFirst()).request().path();
        assertEquals("/BRIG_SECRET_" + "0123456789abcdef".repeat(3) + "??", path.substring(0, 63));
        assertEquals(1025, path.length());
    }

    @Test
    void shouldAuditWhatIsNoRequest() {
        EgressEvent.TlsFailed failed = new EgressEvent.TlsFailed("a.example", 443, "broke off");
        reports.handleNoted(failed);
        assertEquals(List.of(failed), events);
        assertEquals(List.of(AuditLine.of(77, "spn_1", "shell", failed)), audit);
    }
}
