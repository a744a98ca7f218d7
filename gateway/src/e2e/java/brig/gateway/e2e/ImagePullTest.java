package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.image.TestImage;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Images that skopeo fetches: from a registry on the loopback interface, which wants a password, and from files. */
@Timeout(300)
@Tag("slow")
class ImagePullTest {
    private static final String PASSWORD = "hunter2";
    private static final String LOGIN =
            Base64.getEncoder().encodeToString(("user:" + PASSWORD).getBytes(StandardCharsets.UTF_8));
    private static final long BYTES_MAX = 4 << 20;
    private static final int TOO_LARGE = 8 << 20;

    private static @Nullable Product product;
    private static HttpServer registry;
    private static Path layouts;
    private static String host;
    private static final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(
                Stream.of("/usr/bin/skopeo", "/usr/local/bin/skopeo")
                        .map(Path::of)
                        .anyMatch(Files::isExecutable),
                "skopeo is not installed");
        assumeTrue(Files.exists(Path.of("/etc/containers/policy.json")), "skopeo has no /etc/containers/policy.json");
        product = Product.start(Map.of("worker", Map.of("images", Map.of("bytesMax", BYTES_MAX))));
        layouts = Files.createDirectory(product.folder().resolve("layouts"));
        registry = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        registry.createContext("/", ImagePullTest::answer);
        registry.start();
        host = "127.0.0.1:" + registry.getAddress().getPort();
        Path settings = Files.createDirectories(product.folder().resolve("home/.config/containers"));
        Files.writeString(settings.resolve("registries.conf"), """
                [[registry]]
                location = "%s"
                insecure = true
                """.formatted(host));
        Files.writeString(product.folder().resolve("auth.json"), """
                {"auths": {"%s": {"auth": "%s"}}}
                """.formatted(host, LOGIN));
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            registry.stop(0);
            product.close();
        }
    }

    /** {@code /v2/NAME/manifests/TAG} and {@code /v2/NAME/blobs/DIGEST} of the layout NAME. */
    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String[] parts = path.split("/");
            if (!("Basic " + LOGIN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"test\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            asked.add(path);
            byte[] body = parts.length < 5 ? new byte[0] : content(parts[2], parts[4]);
            if (parts.length > 3 && parts[3].equals("manifests")) {
                exchange.getResponseHeaders().add("Content-Type", "application/vnd.oci.image.manifest.v1+json");
            }
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, isHead || body.length == 0 ? -1 : body.length);
            if (!isHead) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static byte[] content(String name, String reference) throws IOException {
        Path layout = layouts.resolve(name);
        String digest = reference.startsWith("sha256:")
                ? reference
                : JsonObject.read(Files.readAllBytes(layout.resolve("index.json")))
                        .objects("manifests")
                        .getFirst()
                        .text("digest", "");
        return Files.readAllBytes(layout.resolve("blobs/sha256").resolve(digest.substring("sha256:".length())));
    }

    private static Run pull(String authFile, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "HOME=" + product.folder().resolve("home"),
                "REGISTRY_AUTH_FILE=" + product.folder().resolve(authFile),
                "TMPDIR=" + Files.createDirectories(product.folder().resolve("tmp"))));
        command.addAll(product.command("image", "pull"));
        command.addAll(List.of(arguments));
        return Run.of(command, "", product.folder(), Await.DEADLINE_SECONDS);
    }

    private static void assertNothingLeft() throws IOException {
        try (Stream<Path> left = Files.list(product.folder().resolve("tmp"))) {
            assertEquals(
                    List.of(),
                    left.filter(file -> file.getFileName().toString().startsWith("brig-fetch"))
                            .toList());
        }
    }

    @Test
    void shouldFetchFromARegistryByTheDigestOfTheTag() throws IOException {
        String digest = new TestImage().file("etc/marker", "of the image").write(layouts.resolve("app"));
        Run run = pull("auth.json", "--json", host + "/app:1.0");
        assertEquals(0, run.exitCode(), run::err);
        JsonObject said = JsonObject.read(run.out().strip().getBytes(StandardCharsets.UTF_8));
        assertEquals("app-1.0", said.text("name"));
        assertEquals(digest, said.text("digest"));
        assertEquals("docker://" + host + "/app@" + digest, said.text("source"));
        assertTrue(asked.contains("/v2/app/manifests/" + digest), asked::toString);
        assertFalse((run.out() + run.err()).contains(PASSWORD));
        assertNothingLeft();
        Run listed = product.brig("image", "list");
        assertTrue(listed.out().contains("oci:app-1.0") && listed.out().contains(digest), listed.out());
    }

    @Test
    void shouldFetchFromFiles() throws IOException {
        Path layout = layouts.resolve("files");
        String digest = new TestImage().file("etc/marker", "of a layout").write(layout);
        Run run = pull("auth.json", "oci:" + layout, "--name", "mine");
        assertEquals(0, run.exitCode(), run::err);
        assertTrue(run.out().startsWith("oci:mine is " + digest), run.out());
        assertTrue(run.out().contains("\nfrom oci:" + layout + "\n"), run.out());
        assertNothingLeft();
    }

    @Test
    void shouldRefuseWhatCannotBeFetched() throws IOException {
        byte[] noise = new byte[TOO_LARGE];
        new Random(1).nextBytes(noise);
        new TestImage().file("noise", noise, 0644).write(layouts.resolve("large"));
        Run large = pull("auth.json", host + "/large:1");
        assertEquals(125, large.exitCode(), large::err);
        assertTrue(
                large.err().contains("INVALID_IMAGE") && large.err().contains("larger than " + BYTES_MAX), large.err());
        new TestImage().file("etc/marker", "x").write(layouts.resolve("secret"));
        Run unknown = pull("none.json", host + "/secret:1");
        assertEquals(125, unknown.exitCode(), unknown::err);
        assertTrue(unknown.err().contains("skopeo says:"), unknown.err());
        String digest = new TestImage().file("etc/marker", "x").write(layouts.resolve("other"));
        Path blob = layouts.resolve("other/blobs/sha256").resolve(digest.substring("sha256:".length()));
        Files.writeString(blob, Files.readString(blob) + " ");
        Run changed = pull("auth.json", host + "/other@" + digest);
        assertEquals(125, changed.exitCode(), changed::err);
        assertTrue(changed.err().contains("skopeo says:"), changed.err());
        assertNothingLeft();
        assertFalse(product.brig("image", "list").out().contains("large"));
    }

    @Test
    void shouldHaveTheImageOfADevcontainerAsRoot() throws IOException {
        new TestImage().file("etc/marker", "x").write(layouts.resolve("dev"));
        assertEquals(0, pull("auth.json", host + "/dev:1").exitCode());
        Path folder = Files.createDirectories(product.workspaces().resolve("project"));
        Path file = Files.createDirectories(folder.resolve(".devcontainer")).resolve("devcontainer.json");
        Files.writeString(file, "{\"image\": \"" + host + "/dev:1\", /* for editors */}");
        // The host has this program, and the image has not.
        Run rooted = product.brig(
                "run", "shell", "-w", folder.toString(), "--devcontainer", "--policy", "review", "--", "id");
        assertTrue(rooted.err().contains("inside the wall there is no command /bin/bash"), rooted.err());
        Files.writeString(file, "{\"image\": \"" + host + "/unknown:1\"}");
        Run unknown = product.brig(
                "run", "shell", "-w", folder.toString(), "--devcontainer", "--policy", "review", "--", "id");
        assertEquals(125, unknown.exitCode(), unknown::out);
        assertTrue(unknown.err().contains("UNKNOWN_IMAGE") && unknown.err().contains("unknown-1"), unknown.err());
        Files.writeString(file, "{\"build\": {}}");
        Run none = product.brig(
                "run", "shell", "-w", folder.toString(), "--devcontainer", "--policy", "review", "--", "id");
        assertEquals(125, none.exitCode(), none::out);
        assertTrue(none.err().contains("finds no image of a registry"), none.err());
        Run nowhere = product.brig("run", "shell", "--devcontainer", "--", "id");
        assertTrue(nowhere.err().contains("goes with a folder of this host"), nowhere.err());
    }
}
