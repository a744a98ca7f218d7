package brig.acp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.captain.ScriptedGateway;
import brig.protocol.BrigException;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.JsonObject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SessionLinkTest {
    private static final String AT = "{\"action\":\"attach\",\"from\":%d,\"id\":\"spn_1\"}";

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final SessionLink link = new SessionLink(gateway, "spn_1");
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private volatile boolean over;

    private final SessionLink.Reader reader = new SessionLink.Reader() {
        private long next = 1;

        @Override
        public void begin() {
            events.add("begin");
        }

        @Override
        public void handle(JsonObject line) {
            next = line.number("seq", 0) + 1;
            events.add("line " + line.number("seq", 0));
        }

        @Override
        public void flush() {
            events.add("flush");
        }

        @Override
        public long next() {
            return next;
        }

        @Override
        public void handleLost() {
            events.add("lost");
        }

        @Override
        public boolean handleFound(boolean sameStream, BooleanSupplier adopt) {
            boolean adopted = adopt.getAsBoolean();
            events.add("found " + sameStream + " " + adopted);
            return adopted;
        }

        @Override
        public void handleEnd(boolean gone) {
            events.add("end " + gone);
        }

        @Override
        public boolean isOver() {
            return over;
        }
    };

    private void expect(String... expected) throws InterruptedException {
        for (String event : expected) {
            assertEquals(event, events.poll(20, TimeUnit.SECONDS));
        }
    }

    private void open() throws InterruptedException {
        gateway.answer(Views.AUTHENTICATED);
        link.open(1, "test", reader);
        assertEquals(AT.formatted(1), gateway.said.take());
        expect("begin");
    }

    @Test
    void shouldWaitForASessionThatIsBeingStarted() throws Exception {
        gateway.answer("{\"error\":\"not yet\",\"code\":\"SESSION_NOT_READY\"}");
        gateway.answer(Views.AUTHENTICATED);
        link.open(1, "test", reader);
        expect("begin");
        assertEquals(2, gateway.said.size());
    }

    @Test
    void shouldSayWhyThereIsNoSuchSession() {
        gateway.answer("{\"error\":\"no such session\",\"code\":\"NOT_FOUND\"}");
        assertThrows(BrigException.class, () -> link.open(1, "test", reader));
    }

    @Test
    void shouldFlushWhereNothingMoreIsThere() throws Exception {
        open();
        gateway.frame("{\"seq\":1}", false);
        gateway.frame("{\"seq\":2}", true);
        expect("line 1", "line 2", "flush");
    }

    @Test
    void shouldGoOnWhereItWasWhenTheConnectionIsLost() throws Exception {
        open();
        gateway.frame("{\"seq\":1}", true);
        expect("line 1", "flush");
        gateway.answer(Views.AUTHENTICATED);
        gateway.cut();
        expect("flush", "lost", "found true true");
        assertEquals(AT.formatted(2), gateway.said.take());
        link.send(new CaptainLine.Cancel());
        assertEquals("{\"action\":\"cancel\"}", gateway.said.take());
    }

    @Test
    void shouldSayThatItIsAnotherStream() throws Exception {
        open();
        gateway.answer(Views.AUTHENTICATED.replace("\"epoch\":\"x\"", "\"epoch\":\"y\""));
        gateway.cut();
        expect("flush", "lost", "found false true");
    }

    @Test
    void shouldGiveUpWhereTheSessionIsGone() throws Exception {
        open();
        gateway.answer("{\"error\":\"no such session\",\"code\":\"NOT_FOUND\"}");
        gateway.cut();
        expect("flush", "lost", "end true");
    }

    @Test
    void shouldLookForNoConnectionWhereTheSessionIsOver() throws Exception {
        open();
        over = true;
        link.close();
        expect("flush", "lost", "end false");
        assertTrue(gateway.said.isEmpty());
    }
}
