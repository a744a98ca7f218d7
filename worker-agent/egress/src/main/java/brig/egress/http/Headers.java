package brig.egress.http;

import brig.egress.filter.ExchangeFilter;
import brig.egress.policy.EgressPolicy;
import brig.egress.request.Refusal;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the heads that the proxy forwards: without hop-by-hop headers, and with its own. */
public final class Headers {
    private static final Set<String> OF_ONE_CONNECTION = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "expect",
            "host",
            "content-length",
            "http2-settings");
    private static final Set<String> CREDENTIALS = Set.of("authorization", "x-api-key", "api-key", "x-goog-api-key");
    private static final int SWITCHING = 101;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private Headers() {}

    /** Refuses requests that two parsers could read differently. @throws Refusal.RefusedException */
    public static void requireUnambiguous(HttpRequest request) {
        HttpHeaders headers = request.headers();
        HttpVersion version = request.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw Refusal.malformed("only HTTP/1.1 is supported").asException();
        }
        List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean chunked = encodings.size() == 1 && encodings.getFirst().equalsIgnoreCase("chunked");
        if (!encodings.isEmpty()
                && (!chunked
                        || headers.contains(HttpHeaderNames.CONTENT_LENGTH)
                        || !version.equals(HttpVersion.HTTP_1_1))) {
            throw Refusal.malformed("the length of the body is ambiguous").asException();
        }
        if (headers.getAll(HttpHeaderNames.CONTENT_LENGTH).size() > 1) {
            throw Refusal.malformed("there is more than one Content-Length").asException();
        }
        // Some servers take what follows a # for a part of the path, others cut it off.
        if (!request.uri().chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#')) {
            throw Refusal.malformed("the request line has bytes that are invalid in a URL")
                    .asException();
        }
    }

    /** The request's head for the server; throws if it carries a secret that may not go there. */
    public static HttpRequest forward(
            HttpRequest request,
            Target to,
            String pathAndQuery,
            EgressPolicy.@Nullable ModelRoute route,
            ExchangeFilter filters) {
        HttpRequest made = new DefaultHttpRequest(HttpVersion.HTTP_1_1, request.method(), filters.target(pathAndQuery));
        HttpHeaders headers = made.headers();
        headers.set(HttpHeaderNames.HOST, to.authority());
        Set<String> named = namedByConnection(request);
        for (Map.Entry<String, String> header : request.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            boolean replaced = route != null
                    && !route.secret().isEmpty()
                    && (CREDENTIALS.contains(name) || name.equals(route.header()));
            if (!OF_ONE_CONNECTION.contains(name) && !named.contains(name) && !replaced) {
                headers.add(header.getKey(), filters.header(header.getKey(), header.getValue()));
            }
        }
        if (isWebSocket(request)) {
            headers.set(HttpHeaderNames.CONNECTION, "Upgrade");
            headers.set(HttpHeaderNames.UPGRADE, "websocket");
        }
        if (route != null) {
            route.headers().forEach(headers::set);
        }
        filters.handleRequest(made);
        return made;
    }

    private static Set<String> namedByConnection(HttpMessage message) {
        Set<String> names = new HashSet<>();
        for (String value : message.headers().getAll(HttpHeaderNames.CONNECTION)) {
            for (String name : value.split(",", -1)) {
                names.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    /** The answer's head for the client. */
    public static HttpResponse back(HttpRequest request, HttpResponse response, ExchangeFilter filters) {
        int code = response.status().code();
        HttpResponse made = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code));
        Set<String> named = namedByConnection(response);
        for (Map.Entry<String, String> header : response.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            // Alt-Svc would send the client to a protocol that the wall blocks.
            if (!OF_ONE_CONNECTION.contains(name) && !named.contains(name) && !name.equals("alt-svc")) {
                made.headers().add(filters.answerHeader(header.getKey()), filters.answerHeader(header.getValue()));
            }
        }
        if (code == SWITCHING) {
            made.headers().set(HttpHeaderNames.CONNECTION, "Upgrade");
            made.headers().set(HttpHeaderNames.UPGRADE, "websocket");
            return made;
        }
        String length = response.headers().get(HttpHeaderNames.CONTENT_LENGTH);
        boolean bodiless = hasNoBody(request, code);
        if (length != null && (bodiless || !filters.changesAnswer())) {
            made.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        } else if (!bodiless && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            HttpUtil.setTransferEncodingChunked(made, true);
        }
        return made;
    }

    public static boolean isWebSocket(HttpRequest request) {
        return request.headers().containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)
                && request.headers().containsValue(HttpHeaderNames.UPGRADE, "websocket", true)
                && request.method().equals(HttpMethod.GET);
    }

    /** Whether the answer with that code to this request has no body. */
    public static boolean hasNoBody(HttpRequest request, int code) {
        return request.method().equals(HttpMethod.HEAD) || code == NO_CONTENT || code == NOT_MODIFIED;
    }

    public static boolean hasNoBody(HttpRequest request) {
        return !HttpUtil.isTransferEncodingChunked(request) && HttpUtil.getContentLength(request, 0L) == 0;
    }

    public static HttpHeaders none() {
        return new DefaultHttpHeaders();
    }

    public static HttpResponse continues() {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);
    }
}
