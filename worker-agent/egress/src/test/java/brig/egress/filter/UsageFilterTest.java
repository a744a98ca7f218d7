package brig.egress.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import brig.egress.policy.HostPort;
import brig.egress.price.Tokens;
import brig.egress.request.RequestRecord;
import brig.protocol.egress.EgressEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class UsageFilterTest {
    private final List<EgressEvent> told = new ArrayList<>();
    private final SubAgents subAgents = new SubAgents(told::add);
    private final RequestRecord record = new RequestRecord(
            RequestRecord.Kind.REQUEST, "POST", "https", new HostPort("m.example", 443), "/", System.nanoTime());
    private final HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");

    private UsageFilter filter() {
        return new UsageFilter(
                "claude",
                request,
                subAgents,
                record,
                (model, charged) -> cost(charged),
                counted -> told.add(counted.usage()));
    }

    /** A price that shows what it was asked. */
    private static OptionalDouble cost(Tokens charged) {
        return charged.input() == 3 ? OptionalDouble.empty() : OptionalDouble.of(charged.input() + 0.5);
    }

    private UsageFilter answered(String type, String... pieces) {
        UsageFilter filter = filter();
        HttpRequest made = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
        filter.handleRequest(made);
        assertEquals("identity", made.headers().get("accept-encoding"), "a compressed answer cannot be read");
        HttpResponse answer = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        answer.headers().set("content-type", type);
        record.answer(200);
        filter.handleAnswer(answer);
        for (String text : pieces) {
            ByteBuf piece = Unpooled.copiedBuffer(text, UTF_8);
            assertSame(piece, filter.answerBody(piece, false));
            assertEquals(text, piece.toString(UTF_8), "it changes nothing");
            piece.release();
        }
        return filter;
    }

    @Test
    void shouldTellWhatAStreamSaidInWhicheverPiecesItCame() {
        String stream =
                "data: {\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":25,\"cache_read_input_tokens\":7,"
                        + "\"cache_creation_input_tokens\":3}}}\n\ndata: {\"usage\":{\"output_tokens\":1}}\n\n"
                        + "data: {\"usage\":{\"output_tokens\":15}}\n\n";
        answered("text/event-stream", stream.substring(0, 40), stream.substring(40, 41), stream.substring(41))
                .handleEnd();
        assertEquals(List.of(new EgressEvent.Usage(null, "claude", "m", 25L, 15L, 7L, 3L, 200, 35.5)), told);
    }

    @Test
    void shouldTellWhatADocumentSaid() {
        answered(
                        "application/json",
                        "{\"model\":\"g\",\"usage\":{\"prompt_tokens\":3,",
                        "\"completion_tokens\":4,",
                        "\"prompt_tokens_details\":{\"cached_tokens\":2}}}")
                .handleEnd();
        assertEquals(List.of(new EgressEvent.Usage(null, "claude", "g", 3L, 4L, 2L, null, 200, null)), told);
    }

    @Test
    void shouldTellNothingOfOtherAnswers() {
        answered("application/json", "{\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":\"many\"}}")
                .handleEnd();
        answered("application/json", "{\"usage\":{\"prompt_tokens\":1", "}").handleEnd();
        answered("text/plain", "{\"usage\":{\"prompt_tokens\":1}}").handleEnd();
        answered("application/json", " ".repeat(1024 * 1024), "{\"usage\":{\"prompt_tokens\":1}}")
                .handleEnd();
        answered("text/event-stream", "data: \"usage\"\n", ": {\"usage\":{}}\n").handleEnd();
        filter().handleEnd();
        assertEquals(List.of(), told);
    }

    @Test
    void shouldNameTheSubAgentThatAsked() {
        request.headers().set("x-session-id", "child").set("x-parent-session-id", "root");
        answered("application/json", "{\"usage\":{\"prompt_tokens\":1}}").handleEnd();
        assertEquals(
                List.of(
                        new EgressEvent.Subagent("child", null, "child"),
                        new EgressEvent.Usage("child", "claude", "", 1L, null, null, null, 200, null)),
                told);
    }
}
