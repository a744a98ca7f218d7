package brig.gateway.listener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.gateway.limits.ConnectionGuard;
import brig.gateway.limits.Deadlines;
import brig.gateway.limits.GuardedConnection;
import brig.gateway.time.FakeTime;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each phase of a request has a deadline of another length here, so that the time of the end tells which one it was. */
class HttpPhasesTest {
    private static final long HEAD_MS = 10_000;
    private static final long BODY_MS = 30_000;
    private static final long IDLE_MS = 75_000;
    private static final long SLACK_MS = 2_500;

    private final FakeTime time = new FakeTime();
    private final ConnectionGuard connectionGuard = new ConnectionGuard(
            new ConnectionGuard.Bounds(8, 0, 8, 8), new Deadlines(HEAD_MS, 5_000, BODY_MS, IDLE_MS), time);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private @Nullable Boolean saidWhy;
    private final GuardedConnection guarded;

    HttpPhasesTest() {
        channel.pipeline().addLast(new HttpServerCodec()).addLast("handler", new ChannelInboundHandlerAdapter());
        guarded = connectionGuard.unauthenticated("a", why -> {});
        HttpPhases phases = HttpPhases.follow(channel, guarded);
        guarded.endsWith(why -> saidWhy = phases.mayBeRefused());
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void receive(String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, US_ASCII));
    }

    private void answer(HttpResponseStatus status) {
        channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status));
    }

    /** @param saysWhy whether the client can be told */
    private void requireEndAfter(long ms, boolean saysWhy) {
        time.pass(ms - 1);
        assertNull(saidWhy, "it had its whole time");
        time.pass(SLACK_MS);
        assertEquals(saysWhy, saidWhy);
    }

    @Test
    void shouldEndWithoutAWordWhenNothingComes() {
        requireEndAfter(HEAD_MS, false);
    }

    @Test
    void shouldNotBeDelayedByADripWhenAHeadHasBegun() {
        receive("GET /");
        for (int i = 0; i < 9; i++) {
            time.pass(1_000);
            receive("x");
        }
        requireEndAfter(HEAD_MS - 9_000, true);
    }

    @Test
    void shouldNotBeDelayedByADripWhenABodyHasBegun() {
        receive("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
        for (int i = 0; i < 9; i++) {
            time.pass(1_000);
            receive("x");
        }
        requireEndAfter(BODY_MS - 9_000, true);
    }

    @Test
    void shouldEndWithoutAWordWhenABodyDoesNotComeThatWasAnsweredAlready() {
        receive("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
        answer(HttpResponseStatus.CONTINUE);
        answer(HttpResponseStatus.UNAUTHORIZED);
        requireEndAfter(BODY_MS, false);
    }

    @Test
    void shouldBoundAStrangersAnswerAndNotThatOfSomebodyKnown() {
        receive("GET / HTTP/1.1\r\n\r\n");
        requireEndAfter(IDLE_MS, false);
    }

    @Test
    void shouldLetWhoIsKnownBeAnsweredAsLongAsItTakesAndThenRestForAWhile() {
        receive("GET / HTTP/1.1\r\n\r\n");
        guarded.becomeKnown(false);
        time.pass(100 * IDLE_MS);
        answer(HttpResponseStatus.OK);
        requireEndAfter(IDLE_MS, false);
    }

    @Test
    void shouldHaveANewDeadlineWhenTheNextHeadBegins() {
        receive("GET / HTTP/1.1\r\n\r\n");
        answer(HttpResponseStatus.OK);
        time.pass(IDLE_MS - 1_000);
        receive("GET ");
        requireEndAfter(HEAD_MS, true);
    }

    @Test
    void shouldWaitForTheLastAnswerWhenRequestsCameTogether() {
        receive("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        guarded.becomeKnown(false);
        answer(HttpResponseStatus.OK);
        time.pass(100 * IDLE_MS);
        assertNull(saidWhy);
        answer(HttpResponseStatus.OK);
        requireEndAfter(IDLE_MS, false);
    }

    @Test
    void shouldGoWhenTheConnectionIsNoHttpAnyMore() {
        channel.pipeline().fireChannelRead("a frame");
        assertNull(channel.pipeline().get(HttpPhases.class));
    }
}
