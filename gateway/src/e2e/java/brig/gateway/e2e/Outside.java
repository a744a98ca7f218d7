package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import brig.workeragent.TestFolders;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A server on loopback that stands for the outside, with names that lead to it by configuration, a secret in a file, and
 * policies that let agents out. It answers with what it was told as authorization.
 */
final class Outside implements AutoCloseable {
    static final String SECRET = "planted-value-of-a-secret-5521";

    final ConcurrentLinkedQueue<String> authorizations = new ConcurrentLinkedQueue<>();
    private final HttpServer server;
    private final Path folder;

    Outside() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> {
            String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            authorizations.add(authorization);
            exchange.getRequestBody().readAllBytes();
            byte[] body = ("hello " + authorization + "\n").getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        folder = TestFolders.create("brig-outside-");
        Files.createDirectory(folder.resolve("policies"));
        Files.setAttribute(Files.writeString(folder.resolve("token"), SECRET + "\n"), "unix:mode", 0600);
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** A name that leads here, with the port. */
    String at(String name) {
        return name + ":" + port();
    }

    /** The file of a policy. */
    Path policy(String name) {
        return folder.resolve("policies").resolve(name + ".json");
    }

    /** The file that the secret comes from. */
    Path token() {
        return folder.resolve("token");
    }

    /** Writes a policy with a way out, to nobody yet; the address alone is allowed, so that names may lead there. */
    void writePolicy(String name, int askMs) throws IOException {
        Map<String, Object> egress = new LinkedHashMap<>();
        egress.put("allowedHosts", List.of("127.0.0.1:" + port()));
        egress.put("deniedHosts", List.of("never.test"));
        egress.put(
                "secrets",
                Map.of(
                        "TOKEN",
                        Map.of(
                                "hosts",
                                List.of(at("late.test")),
                                "file",
                                folder.resolve("token").toString(),
                                "allowPlaintext",
                                true)));
        egress.put("askMs", (long) askMs);
        Files.writeString(
                policy(name),
                "// Of a test.\n"
                        + new String(
                                Json.write(Map.of(
                                        "description",
                                        "for tests",
                                        "mounts",
                                        Map.of("/workspace", Map.of("hostPath", ".", "readonly", false)),
                                        "environment",
                                        List.of("PATH", "HOME"),
                                        "privateFiles",
                                        List.of(),
                                        "egress",
                                        egress)),
                                UTF_8));
        Files.setPosixFilePermissions(policy(name), PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** What a product has to be started with. */
    Map<String, Object> settings(String... policies) {
        Map<String, Object> hosts = new LinkedHashMap<>();
        for (String name : List.of("late.test", "ask.test", "saved.test", "never.test", "evil.test")) {
            hosts.put(name, "127.0.0.1");
        }
        return Map.of(
                "worker",
                Map.of(
                        "policyDirs",
                        List.of("", folder.resolve("policies").toString()),
                        "policies",
                        List.of(policies),
                        "egress",
                        Map.of("hosts", hosts)));
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        TestFolders.delete(folder);
    }
}
