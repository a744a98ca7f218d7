package brig.gateway.e2e;

import brig.gateway.oidc.Fetch;
import brig.gateway.oidc.TestIssuer;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An issuer of OpenID Connect on this host: who comes there agrees at once, as the person that the test named. */
final class IssuerServer implements AutoCloseable {
    private final HttpServer server;
    private final TestIssuer issuer;
    private final String url;
    private volatile boolean broken;

    IssuerServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        url = "http://127.0.0.1:" + server.getAddress().getPort();
        issuer = new TestIssuer(url);
        server.createContext("/", this::answer);
        server.start();
    }

    TestIssuer issuer() {
        return issuer;
    }

    String url() {
        return url;
    }

    /** Whether it answers nothing but faults. */
    void breakDown(boolean isBroken) {
        broken = isBroken;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String path = exchange.getRequestURI().getPath();
            if (broken) {
                exchange.sendResponseHeaders(500, -1);
            } else if (path.equals("/authorize")) {
                exchange.getResponseHeaders().set("Location", issuer.authorize(url + exchange.getRequestURI()));
                exchange.sendResponseHeaders(303, -1);
            } else {
                Fetch.Answer answer =
                        issuer.answer(path, form, exchange.getRequestHeaders().getFirst("Authorization"));
                byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer.status(), body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    /** Settings with which people sign in here: engineers are captains, guests are watchers. */
    Map<String, Object> settings(Path folder) throws IOException {
        return settings(folder, "");
    }

    /** @param publicUrl where people reach the gateway, or the gateways; empty for where it listens */
    Map<String, Object> settings(Path folder, String publicUrl) throws IOException {
        Path secret = Files.writeString(folder.resolve("client.secret"), TestIssuer.SECRET + "\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Map<String, Object> oidc = new LinkedHashMap<>();
        oidc.put("issuer", url);
        oidc.put("clientId", TestIssuer.CLIENT);
        oidc.put("clientSecretFile", secret.toString());
        oidc.put("publicUrl", publicUrl);
        oidc.put("label", "Example");
        oidc.put(
                "roles",
                List.of(
                        Map.of("claim", "groups", "value", "engineers", "role", "captain"),
                        Map.of("claim", "groups", "value", "guests", "role", "watcher")));
        return Map.of("oidc", oidc, "limits", Map.of("workersPerCaptainMax", 1L));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
