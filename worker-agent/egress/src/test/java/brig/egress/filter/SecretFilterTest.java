package brig.egress.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.request.Refusal;
import brig.egress.secret.Injection;
import brig.egress.secret.SecretRefusedException;
import brig.egress.secret.Secrets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SecretFilterTest {
    private static final String VALUE = "planted-value-4711";
    private static final String PLACEHOLDER = "BRIG_SECRET_" + "0123456789abcdef".repeat(3);

    private final Secrets secrets = new Secrets(Map.of("T", PLACEHOLDER), Map.of("T", VALUE), Map.of());
    private Set<String> used = new TreeSet<>();

    private SecretFilter filter(
            boolean goesThere, SecretFilter.Scope scope, SecretFilter.@Nullable Credential credential) {
        return new SecretFilter(
                new Injection(secrets, name -> goesThere, name -> false), scope, credential, names -> used = names);
    }

    private SecretFilter filter(boolean goesThere) {
        return filter(goesThere, new SecretFilter.Scope(true, true, goesThere, name -> true), null);
    }

    private static HttpRequest head() {
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    }

    private static HttpResponse answer(String encoding) {
        HttpResponse answer = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        answer.headers().set("content-encoding", encoding);
        return answer;
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, UTF_8);
    }

    @Test
    void shouldPutValuesInAndTakeThemOut() {
        SecretFilter filter = filter(true);
        assertEquals("/x?k=" + VALUE, filter.target("/x?k=" + PLACEHOLDER));
        assertEquals("Bearer " + VALUE, filter.header("authorization", "Bearer " + PLACEHOLDER));
        HttpRequest made = head();
        filter.handleRequest(made);
        assertEquals("identity", made.headers().get("accept-encoding"));
        assertTrue(filter.changesBody());
        String sent = filter.body(bytes("a" + PLACEHOLDER.substring(0, 20)), false)
                        .toString(UTF_8)
                + filter.body(bytes(PLACEHOLDER.substring(20) + "b"), true).toString(UTF_8);
        assertEquals("a" + VALUE + "b", sent);
        assertEquals(Set.of(), used, "no server has it yet");
        filter.handleOpened();
        assertEquals(Set.of("T"), used);
        assertTrue(filter.changesAnswer());
        assertEquals("echo " + PLACEHOLDER, filter.answerHeader("echo " + VALUE));
        String back =
                filter.answerBody(bytes("c" + VALUE.substring(0, 5)), false).toString(UTF_8)
                        + filter.answerBody(bytes(VALUE.substring(5)), true).toString(UTF_8);
        assertEquals("c" + PLACEHOLDER, back);
    }

    @Test
    void shouldGiveBackAtTheEndWhatLookedLikeTheBeginningOfAPiece() {
        SecretFilter filter = filter(true);
        filter.handleRequest(head());
        String begun = PLACEHOLDER.substring(0, 20);
        assertEquals("", filter.body(bytes(begun), false).toString(UTF_8));
        assertEquals(begun, filter.body(bytes(""), true).toString(UTF_8));
        String half = VALUE.substring(0, 9);
        assertEquals(half, filter.answerBody(bytes(half), true).toString(UTF_8));
    }

    @Test
    void shouldRefuseAPlaceholderThatMayNotGoThereWhereverItStands() {
        SecretFilter filter = filter(false);
        assertThrows(SecretRefusedException.class, () -> filter.target("/x?k=" + PLACEHOLDER));
        assertThrows(SecretRefusedException.class, () -> filter.header("x", PLACEHOLDER));
        assertThrows(SecretRefusedException.class, () -> filter.header(PLACEHOLDER, "x"));
        ByteBuf piece = bytes(PLACEHOLDER);
        assertThrows(SecretRefusedException.class, () -> filter.body(piece, true));
        assertEquals(0, piece.refCnt(), "released");
    }

    @Test
    void shouldAddTheCredentialOfAModelRoute() {
        SecretFilter.Scope scope = new SecretFilter.Scope(true, false, true, name -> false);
        HttpRequest bearer = head();
        filter(true, scope, new SecretFilter.Credential("authorization", PLACEHOLDER))
                .handleRequest(bearer);
        assertEquals("Bearer " + VALUE, bearer.headers().get("authorization"));
        HttpRequest plain = head();
        SecretFilter filter = filter(true, scope, new SecretFilter.Credential("x-api-key", PLACEHOLDER));
        filter.handleRequest(plain);
        assertEquals(VALUE, plain.headers().get("x-api-key"));
        ByteBuf piece = bytes(PLACEHOLDER);
        assertFalse(filter.changesBody());
        assertSame(piece, filter.body(piece, true), "an encoded body is not searched");
    }

    @Test
    void shouldRefuseAnAnswerInWhichNoValueCanBeFound() {
        SecretFilter filter = filter(true);
        filter.handleAnswer(answer("identity"));
        Refusal.RefusedException refused =
                assertThrows(Refusal.RefusedException.class, () -> filter.handleAnswer(answer("gzip")));
        assertEquals(502, refused.refusal().status());
        HttpResponse unchanged = answer("gzip").setStatus(HttpResponseStatus.NOT_MODIFIED);
        filter.handleAnswer(unchanged);
    }

    @Test
    void shouldLeaveEverythingWhereNoSecretGoesOut() {
        SecretFilter filter = filter(true, new SecretFilter.Scope(false, false, false, name -> false), null);
        HttpRequest made = head();
        filter.handleRequest(made);
        assertNull(made.headers().get("accept-encoding"));
        assertEquals(PLACEHOLDER, filter.header("x", PLACEHOLDER));
        filter.handleAnswer(answer("gzip"));
        assertEquals(VALUE, filter.answerHeader(VALUE));
        ByteBuf piece = bytes(VALUE);
        assertSame(piece, filter.answerBody(piece, true));
    }
}
