package brig.egress.filter;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.api.Test;

class FilterChainTest {
    private final List<String> calls = new ArrayList<>();

    /** Appends its name to everything that passes. */
    private final class Marking implements ExchangeFilter {
        private final String name;

        Marking(String name) {
            this.name = name;
        }

        @Override
        public String target(String pathAndQuery) {
            return pathAndQuery + name;
        }

        @Override
        public String header(String header, String value) {
            return value + name;
        }

        @Override
        public void handleRequest(HttpRequest made) {
            calls.add("request " + name);
        }

        @Override
        public boolean changesBody() {
            return name.equals("b");
        }

        @Override
        public ByteBuf body(ByteBuf piece, boolean last) {
            return Unpooled.wrappedBuffer(piece, Unpooled.copiedBuffer(name, US_ASCII));
        }

        @Override
        public void handleOpened() {
            calls.add("opened " + name);
        }

        @Override
        public void handleSent(int bytes) {
            calls.add("sent " + name + " " + bytes);
        }

        @Override
        public void handleAnswer(HttpResponse answer) {
            calls.add("answer " + name);
        }

        @Override
        public String answerHeader(String text) {
            return text + name;
        }

        @Override
        public ByteBuf answerBody(ByteBuf piece, boolean last) {
            return Unpooled.wrappedBuffer(piece, Unpooled.copiedBuffer(name, US_ASCII));
        }

        @Override
        public void handleEnd() {
            calls.add("end " + name);
        }
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, US_ASCII);
    }

    @Test
    void shouldPassARequestInOrderAndAnAnswerInTheOther() {
        FilterChain chain = new FilterChain(List.of(new Marking("a"), new Marking("b")));
        assertEquals("/ab", chain.target("/"));
        assertEquals("vab", chain.header("x", "v"));
        assertEquals("1ab", chain.body(bytes("1"), true).toString(US_ASCII));
        assertEquals("vba", chain.answerHeader("v"));
        assertEquals("1ba", chain.answerBody(bytes("1"), true).toString(US_ASCII));
        chain.handleRequest(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
        chain.handleOpened();
        chain.handleSent(7);
        chain.handleAnswer(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        chain.handleEnd();
        assertEquals(
                List.of(
                        "request a",
                        "request b",
                        "opened a",
                        "opened b",
                        "sent a 7",
                        "sent b 7",
                        "answer b",
                        "answer a",
                        "end a",
                        "end b"),
                calls);
    }

    @Test
    void shouldSayThatItChangesWhatOneOfItsFiltersChanges() {
        assertTrue(new FilterChain(List.of(new Marking("a"), new Marking("b"))).changesBody());
        assertFalse(new FilterChain(List.of(new Marking("a"))).changesBody());
        assertFalse(new FilterChain(List.of(new Marking("b"))).changesAnswer());
    }
}
