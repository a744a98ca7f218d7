package brig.gateway.e2e.provider;

import brig.gateway.e2e.provider.Call.Answer;
import io.vertx.core.Context;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.http.WebSocketFrame;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** HTTP and WebSockets to ports in sandboxes, as OpenSandbox' server passes them on: nothing else gets through. */
final class PortProxy {
    private static final Set<String> KEPT_BACK = Set.of(
            "host",
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "authorization",
            "cookie",
            "open-sandbox-api-key");
    private static final String OF_WEBSOCKETS = "sec-websocket-";
    private static final int MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

    private final FakeProvider provider;
    private final HttpClient http;
    private final WebSocketClient sockets;
    private final Map<String, PortBridge> bridges = new HashMap<>();

    PortProxy(FakeProvider provider) {
        this.provider = provider;
        http = provider.vertx.createHttpClient();
        sockets = provider.vertx.createWebSocketClient(
                new WebSocketClientOptions().setMaxFrameSize(MESSAGE_BYTES_MAX).setMaxMessageSize(MESSAGE_BYTES_MAX));
    }

    /** @param rest of the path, which begins with a slash */
    void pass(Call call, Rented sandbox, int port, String rest, Faults.Cut cut) {
        HttpServerRequest request = call.request();
        String query = request.query() == null ? "" : "?" + request.query();
        if (call.isWebSocket()) {
            request.toWebSocket().onSuccess(socket -> {
                Line line = new Line(provider, socket, request.connection(), cut);
                provider.threads.execute(() -> relay(request, socket, line, sandbox, port, rest + query));
            });
            return;
        }
        request.pause();
        Context context = provider.vertx.getOrCreateContext();
        provider.threads.execute(() -> {
            try {
                int bridge = bridge(sandbox, port);
                context.runOnContext(now -> exchange(request, bridge, rest + query));
            } catch (IOException e) {
                FakeProvider.send(request.response(), provider.refusal(502, "PROXY", String.valueOf(e.getMessage())));
            }
        });
    }

    private synchronized int bridge(Rented sandbox, int port) throws IOException {
        String key = sandbox.id + ":" + port;
        PortBridge bridge = bridges.get(key);
        if (bridge == null) {
            bridge = new PortBridge(sandbox.wall(), port, provider.threads);
            bridges.put(key, bridge);
        }
        return bridge.port();
    }

    // ---- HTTP

    private void exchange(HttpServerRequest request, int port, String uri) {
        HttpServerResponse response = request.response();
        Answer refused = provider.refusal(502, "PROXY", "could not connect to the sandbox");
        http.request(new RequestOptions()
                        .setMethod(request.method())
                        .setHost("127.0.0.1")
                        .setPort(port)
                        .setURI(uri))
                .onFailure(failed -> FakeProvider.send(response, refused))
                .onSuccess(out -> {
                    passOn(request).forEach(out::putHeader);
                    out.response()
                            .onFailure(failed -> FakeProvider.send(response, refused))
                            .onSuccess(in -> {
                                response.setStatusCode(in.statusCode());
                                in.headers().forEach((name, value) -> {
                                    if (!KEPT_BACK.contains(name.toLowerCase(Locale.ROOT))) {
                                        response.putHeader(name, value);
                                    }
                                });
                                response.setChunked(!response.headers().contains("Content-Length"));
                                in.pipeTo(response);
                            });
                    out.setChunked(!out.headers().contains("Content-Length"));
                    request.pipeTo(out);
                });
    }

    private static Map<String, String> passOn(HttpServerRequest request) {
        Map<String, String> headers = new HashMap<>();
        request.headers().forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!KEPT_BACK.contains(lower) && !lower.startsWith(OF_WEBSOCKETS)) {
                headers.put(name, value);
            }
        });
        return headers;
    }

    // ---- WebSockets

    private void relay(
            HttpServerRequest request, ServerWebSocket socket, Line line, Rented sandbox, int port, String uri) {
        try {
            WebSocketConnectOptions options = new WebSocketConnectOptions()
                    .setHost("127.0.0.1")
                    .setPort(bridge(sandbox, port))
                    .setURI(uri);
            passOn(request).forEach(options::addHeader);
            sockets.connect(options)
                    .onSuccess(far -> {
                        Pull<WebSocketFrame> frames = Pull.frames(far);
                        provider.threads.execute(() -> toFar(line, socket, far));
                        provider.threads.execute(() -> fromFar(frames, far, line));
                    })
                    .onFailure(failed -> line.close(failed instanceof UpgradeRejectedException ? 1008 : 1011));
        } catch (IOException e) {
            line.close(1011);
        }
    }

    private static void toFar(Line line, ServerWebSocket socket, WebSocket far) {
        try {
            for (Optional<WebSocketFrame> next = line.next(); next.isPresent(); next = line.next()) {
                line.forward(next.get(), far);
            }
        } catch (IOException ended) {
            // Either of them is gone.
        }
        far.close(codeOf(socket, 1000));
    }

    private static void fromFar(Pull<WebSocketFrame> frames, WebSocket far, Line line) {
        try {
            for (Optional<WebSocketFrame> next = frames.next(); next.isPresent(); next = frames.next()) {
                line.send(next.get());
            }
        } catch (IOException ended) {
            // Either of them is gone.
        }
        line.close(codeOf(far, 1011));
    }

    private static short codeOf(WebSocketBase socket, int otherwise) {
        try {
            Short code = socket.closeStatusCode();
            return code == null ? (short) otherwise : code;
        } catch (NullPointerException cut) {
            // So Vert.x tells of a connection that ended without a code.
            return (short) otherwise;
        }
    }

    synchronized void close() throws IOException {
        for (PortBridge bridge : bridges.values()) {
            bridge.close();
        }
    }
}
