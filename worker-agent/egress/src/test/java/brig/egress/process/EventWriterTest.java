package brig.egress.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.egress.message.EgressReport;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class EventWriterTest {
    @Test
    void shouldReportTheEndOfAWorkerWhenTheQueueIsFull() {
        // Scenario: the queue takes no more events when a worker ends.
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EventWriter events = EventWriter.start(EgressReport.Kind.EVENTS, 0, out);
        events.offer(new EgressReport.Lost(EgressReport.Kind.AUDIT, 7));
        events.add(new EgressReport.Unregistered("spn_1#1"));
        events.close();
        assertEquals(
                List.of(
                        "{\"type\":\"unregistered\",\"worker\":\"spn_1#1\"}",
                        "{\"type\":\"lost\",\"kind\":\"events\",\"count\":1}"),
                out.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
