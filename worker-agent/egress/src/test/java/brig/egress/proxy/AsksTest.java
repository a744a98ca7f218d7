package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.HostPort;
import brig.egress.policy.Verdict;
import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AsksTest {
    private static final Verdict ALLOWED = new Verdict(true, "allowed", false);
    private static final Verdict REFUSED = new Verdict(false, "refused", false);
    private static final int NEVER_MS = 600_000;

    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final List<String> told = new ArrayList<>();
    private final Asks asks = new Asks(loop, (host, verdict) -> told.add("settled " + host + " " + verdict.rule()));

    @AfterEach
    void end() {
        var _ = loop.shutdownGracefully();
    }

    private static HostPort at(String text) {
        return Objects.requireNonNull(HostPort.parse(text, 0));
    }

    private boolean add(String name, String host) {
        return asks.add(
                at(host),
                REFUSED,
                NEVER_MS,
                verdict -> told.add(name + " " + verdict.rule()),
                leftMs -> told.add("asked " + host));
    }

    @Test
    void shouldAskOnceForAllAndSayThatItIsSettledBeforeAnybodyGoesOn() {
        assertTrue(add("first", "a:1"));
        assertTrue(add("second", "a:1"));
        assertEquals(2, asks.answer(at("a:1"), REFUSED));
        assertEquals(List.of("asked a:1", "settled a:1 refused", "first refused", "second refused"), told);
        assertEquals(List.of(), asks.open());
        assertEquals(0, asks.answer(at("a:1"), REFUSED), "nobody waits any more");
    }

    @Test
    void shouldAnswerOneAndAskAgainForTheOthers() {
        assertTrue(add("first", "a:1"));
        assertTrue(add("second", "a:1"));
        assertTrue(asks.answerFirst(at("a:1"), ALLOWED));
        assertEquals(List.of(at("a:1")), asks.open());
        assertTrue(asks.answerFirst(at("a:1"), ALLOWED));
        assertEquals(
                List.of(
                        "asked a:1",
                        "settled a:1 allowed",
                        "asked a:1",
                        "first allowed",
                        "settled a:1 allowed",
                        "second allowed"),
                told);
        assertFalse(asks.answerFirst(at("a:1"), ALLOWED));
    }

    @Test
    void shouldKeepNoMoreThanItsBounds() {
        for (int host = 0; host < 16; host++) {
            assertTrue(add("one", "h" + host + ":1"));
        }
        assertFalse(add("one", "more:1"), "16 hosts");
        for (int waiting = 1; waiting < 64; waiting++) {
            assertTrue(add("one", "h0:1"));
        }
        assertFalse(add("one", "h0:1"), "64 that wait for one host");
    }
}
