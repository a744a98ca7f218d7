package brig.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.request.RequestRecord;
import brig.egress.request.RequestReports;
import brig.egress.secret.Secrets;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditFilterTest {
    private final List<AuditLine> audit = new ArrayList<>();
    private final RequestReports reports =
            new RequestReports("spn_1", "shell", audit::add, event -> {}, Clock.systemUTC());
    private final RequestRecord record = new RequestRecord(
            RequestRecord.Kind.REQUEST, "GET", "https", new HostPort("a.example", 443), "/x", System.nanoTime());
    private final AuditFilter filter = new AuditFilter(
            record, ended -> reports.handleDecided(ended, new HostPolicy(EgressPolicy.NONE), Secrets.NONE));

    @Test
    void shouldCountBothWaysAndTellTheEnd() {
        record.allow("allowedHosts has a.example");
        filter.handleSent(3);
        filter.handleSent(4);
        filter.handleAnswer(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_FOUND));
        ByteBuf piece = Unpooled.wrappedBuffer(new byte[5]);
        assertSame(piece, filter.answerBody(piece, true), "it changes nothing");
        assertEquals(List.of(), audit);
        filter.handleEnd();
        AuditEvent.Result result = ((AuditEvent.Request) audit.getFirst().event()).result();
        assertEquals(AuditEvent.Decision.ALLOWED, result.decision());
        assertEquals(7, result.requestBytes());
        assertEquals(5, result.responseBytes());
        assertEquals(404, result.status());
    }
}
