package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.egress.EgressEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockedRequestsTest {
    private static EgressEvent.Request frame(String scheme, int port) {
        return new EgressEvent.Request(
                "POST", scheme, "evil.example", port, "/x", "allowedHosts does not have evil.example", List.of(), 403);
    }

    @Test
    void shouldNameTheRequestAsAPersonWould() {
        assertEquals("BLOCKED: POST https://evil.example/x", BlockedRequests.line(frame("https", 443)));
        assertEquals("BLOCKED: POST http://evil.example/x", BlockedRequests.line(frame("http", 80)));
        assertEquals("BLOCKED: POST http://evil.example:443/x", BlockedRequests.line(frame("http", 443)));
        assertEquals("BLOCKED: POST evil.example:25/x", BlockedRequests.line(frame("", 25)));
    }

    @Test
    void shouldBoundTheLinesOfASecondAndSayHowManyWereLeftOut() {
        long[] nowMs = {1_000};
        BlockedRequests blocked = new BlockedRequests(() -> nowMs[0]);
        for (int i = 0; i < BlockedRequests.LINES_PER_SECOND_MAX + 7; i++) {
            blocked.handle("spn_1", frame("https", 443));
        }
        assertEquals(7, blocked.leftOut());
        nowMs[0] += 1_000;
        blocked.handle("spn_1", frame("https", 443));
        assertEquals(0, blocked.leftOut());
    }
}
