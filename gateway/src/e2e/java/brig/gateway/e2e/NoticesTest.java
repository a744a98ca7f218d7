package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Notices of asks, from the agent to a server of the operator, and the page that answers them. */
@Timeout(180)
class NoticesTest {
    private static final String SECRET = "a secret of this test";

    /** A notice as it came. */
    private record Notice(String timestamp, String signature, String text) {
        JsonObject body() {
            return JsonObject.read(text.getBytes(StandardCharsets.UTF_8));
        }

        /** The path of its link: the port of the gateway is not known when it starts. */
        String path() {
            return URI.create(body().text("answer_url", "")).getPath();
        }
    }

    @TempDir
    private Path temp;

    private final BlockingQueue<Notice> notices = new LinkedBlockingQueue<>();
    private HttpServer receiver;
    private Product product;

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            notices.add(new Notice(
                    exchange.getRequestHeaders().getFirst("Brig-Timestamp"),
                    exchange.getRequestHeaders().getFirst("Brig-Signature"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        Path secret = Files.createFile(
                temp.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, SECRET + "\n");
        product = Product.start(Map.of(
                        "asks",
                        Map.of(
                                "webhook",
                                Map.of(
                                        "url",
                                        "http://127.0.0.1:"
                                                + receiver.getAddress().getPort() + "/hook",
                                        "secretFile",
                                        secret.toString(),
                                        "publicUrl",
                                        "http://127.0.0.1"))))
                .offering("mock");
    }

    @AfterEach
    void stop() throws IOException {
        product.close();
        receiver.stop(0);
    }

    private Spawned asking(int asks) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"mock\",\"permissions\":\"ask\"},"
                        + "\"prompt\":\"#scenario:ask:" + asks + "\"}"));
    }

    private Notice next() throws InterruptedException {
        Notice notice = notices.poll(Await.DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(notice, "no notice came");
        return notice;
    }

    private Web anybody() throws IOException {
        return product.web().with("");
    }

    private Web.Answer post(String path, String form, String... headers) throws IOException {
        HttpRequest.Builder request = anybody()
                .request(path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return anybody().send(request);
    }

    private int open() throws IOException {
        return product.web().get("/api/v1/asks").json().objects("asks").size();
    }

    @Test
    void shouldAnswerOnceByTheLinkOfASignedNotice() throws Exception {
        Spawned asking = asking(1);
        Notice notice = next();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        assertEquals(
                "v1="
                        + HexFormat.of()
                                .formatHex(mac.doFinal(
                                        (notice.timestamp() + "." + notice.text()).getBytes(StandardCharsets.UTF_8))),
                notice.signature());
        assertEquals(asking.id(), notice.body().text("spawn_id"));

        Web.Answer page = anybody().get(notice.path());
        assertEquals(200, page.status());
        assertEquals("text/html; charset=utf-8", page.header("Content-Type"));
        assertEquals("no-referrer", page.header("Referrer-Policy"));
        assertEquals("no-store", page.header("Cache-Control"));
        assertTrue(page.header("Content-Security-Policy").startsWith("default-src 'none'; "));
        assertTrue(page.response().body().contains("<button name=\"option\" value=\"deny\">"));
        assertEquals(1, open(), "a preview of the link answers nothing");

        assertEquals(
                403,
                post(notice.path(), "option=allow", "Sec-Fetch-Site", "cross-site")
                        .status());
        assertEquals(
                403,
                post(notice.path(), "option=allow", "Origin", "https://evil.example")
                        .status());
        assertEquals(400, post(notice.path(), "option=always").status());
        assertEquals(400, post(notice.path(), "option=allow&text=x").status());
        assertEquals(400, post(notice.path(), "option=allow&option=deny").status());
        assertEquals(400, post(notice.path(), "option=%zz").status());
        assertEquals(413, post(notice.path(), "text=" + "x".repeat(70_000)).status());
        assertEquals(
                415,
                post(notice.path(), "{}", "Content-Type", "application/json").status());
        assertEquals(1, open());

        assertEquals(
                200,
                post(notice.path(), "option=allow", "Origin", "null", "Sec-Fetch-Site", "same-origin")
                        .status());
        try (Wire wire = asking.captain()) {
            JsonObject answered =
                    new Frames().readUntilType(wire, "done").ofType("answered").getFirst();
            assertEquals("allow", answered.text("option"));
            assertEquals("webhook", answered.text("by"));
            assertEquals("webhook", answered.text("via"));
        }
        Web.Answer second = post(notice.path(), "option=deny");
        assertEquals(409, second.status());
        assertTrue(second.response().body().contains("Answered by webhook over webhook: "), second.response()::body);
        assertFalse(anybody().get(notice.path()).response().body().contains("<form"));
    }

    @Test
    void shouldAnswerEveryWrongLinkAlike() throws Exception {
        asking(1);
        String path = next().path();
        Web.Answer wrong = anybody().get(path + "A");
        assertEquals(404, wrong.status());
        for (String other : List.of("/answer/x", "/answer/brig_" + "A".repeat(43), "/answer/%00")) {
            Web.Answer answer = anybody().get(other);
            assertEquals(404, answer.status(), other);
            assertEquals(wrong.response().body(), answer.response().body(), other);
            assertEquals(404, post(other, "option=allow").status(), other);
        }
    }

    @Test
    @Tag("slow")
    void shouldSendOpenAsksAgainWithNewLinksAfterARestart() throws Exception {
        asking(1);
        Notice before = next();
        product.kill();
        product.serve();
        Notice after = next();
        assertEquals(before.body().text("ask_id"), after.body().text("ask_id"));
        assertNotEquals(before.path(), after.path());
        assertEquals(404, anybody().get(before.path()).status());
        assertEquals(200, post(after.path(), "option=deny").status());
        String log = Files.readString(product.log());
        assertFalse(log.contains(SECRET) || log.contains(after.path()), log);
    }
}
