package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.link.WallSocket.Role;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests to a model of AWS, with a server that checks their signature by itself. */
@Timeout(60)
class BedrockRoutesTest {
    private static final String ID = "AKIDEXAMPLE";
    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    private static final String TOKEN = "planted-token-of-a-session/with+signs==";
    private static final String INVOKE =
            "/claude/model/us.anthropic.claude-opus-5-5-v1%3A0/invoke-with-response-stream";
    private static final Pattern AUTHORIZATION = Pattern.compile(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(\\d{8})/us-east-1/bedrock/aws4_request, SignedHeaders=(\\S+), Signature=(\\S+)");

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("bedrock.example");
        egress.environment.put(
                "AWS",
                "{\"Version\":1,\"AccessKeyId\":\"" + ID + "\",\"SecretAccessKey\":\"" + SECRET
                        + "\",\"SessionToken\":\"" + TOKEN + "\"}");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker worker(TestServer server, String plaintext) throws IOException {
        return egress.worker(EgressFixture.policy("""
                {'allowedHosts': ['127.0.0.1:PORT'],
                 'secrets': {'AWS': {%s}},
                 'modelRoutes': {'claude': {'baseUrl': 'http://bedrock.example:PORT', 'secret': 'AWS', 'api': 'bedrock',
                                            'region': 'us-east-1'}}}""".formatted(plaintext), server.port()), Role.MODEL);
    }

    private static Answer send(Worker worker, String head, String body) throws IOException {
        try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
            return client.send(head + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                    .answer();
        }
    }

    private static byte[] hmac(byte[] key, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
        return mac.doFinal(text.getBytes(UTF_8));
    }

    private static String hex(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static String target(TestServer.Request request) {
        return request.line().split(" ", -1)[1];
    }

    /** Whether AWS would take it, by the steps of its reference. */
    private static boolean isSigned(TestServer.Request request) throws Exception {
        Matcher said = AUTHORIZATION.matcher(String.valueOf(request.header("authorization")));
        if (!said.matches()) {
            return false;
        }
        StringBuilder canonical = new StringBuilder(request.line().split(" ", -1)[0]).append('\n');
        String path = Arrays.stream(target(request).split("/", -1))
                .map(segment -> URLEncoder.encode(segment, UTF_8))
                .collect(Collectors.joining("/"));
        canonical.append(path).append("\n\n");
        for (String name : said.group(2).split(";", -1)) {
            canonical.append(name).append(':').append(request.header(name)).append('\n');
        }
        canonical
                .append('\n')
                .append(said.group(2))
                .append('\n')
                .append(hex(request.body().getBytes(UTF_8)));
        String scope = said.group(1) + "/us-east-1/bedrock/aws4_request";
        String text = "AWS4-HMAC-SHA256\n" + request.header("x-amz-date") + "\n" + scope + "\n"
                + hex(canonical.toString().getBytes(UTF_8));
        byte[] key = ("AWS4" + SECRET).getBytes(UTF_8);
        for (String part : scope.split("/", -1)) {
            key = hmac(key, part);
        }
        boolean isAgentSigned =
                request.header("x-amz-user-agent") == null || said.group(2).endsWith(";x-amz-user-agent");
        return HexFormat.of().formatHex(hmac(key, text)).equals(said.group(3))
                && isAgentSigned
                && List.of(said.group(2).split(";", -1))
                        .containsAll(List.of("host", "x-amz-date", "x-amz-security-token"))
                && TOKEN.equals(request.header("x-amz-security-token"))
                && hex(request.body().getBytes(UTF_8)).equals(request.header("x-amz-content-sha256"));
    }

    private static final TestServer.Handler CHECKING = (request, out) -> {
        boolean good;
        try {
            good = isSigned(request);
        } catch (Exception e) {
            throw new IOException(e);
        }
        // A stream of events is binary; a server at fault could show what it got.
        String content =
                "\u0001\u0002" + request.header("x-amz-security-token") + "\u00ff" + request.header("authorization");
        TestServer.write(
                out,
                "HTTP/1.1 " + (good ? "200 OK" : "403 Forbidden")
                        + "\r\nContent-Type: application/vnd.amazon.eventstream\r\nContent-Length: "
                        + content.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1).length + "\r\n\r\n" + content);
    };

    @Test
    void shouldSignWhatTheAgentSendsAndShowTheCredentialsToNobody() throws Exception {
        try (TestServer server = egress.plain(CHECKING)) {
            Worker worker = worker(server, "'allowPlaintext': true");
            String body = "{\"anthropic_version\":\"bedrock-2023-05-31\",\"max_tokens\":10}";
            Answer answer = send(
                    worker,
                    "POST " + INVOKE + " HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nContent-Type: application/json\r\n"
                            + "Authorization: Bearer x\r\nX-Amz-Date: 20150830T123600Z\r\nX-Amz-Security-Token: theirs\r\nX-Amz-User-Agent: an agent\r\n",
                    body);
            assertEquals(200, answer.status(), answer::body);
            assertFalse(answer.body().contains("planted") || answer.body().contains(SECRET), answer.body());
            assertEquals(body, server.requests().getFirst().body());
            assertEquals(
                    "/model/us.anthropic.claude-opus-5-5-v1%3A0/invoke-with-response-stream",
                    target(server.requests().getFirst()));
            assertEquals(List.of("AWS"), egress.firstResult().secrets());
        }
    }

    @Test
    void shouldSignARequestWithoutABody() throws Exception {
        try (TestServer server = egress.plain(CHECKING)) {
            Worker worker = worker(server, "'allowPlaintext': true");
            try (TestClient client = new TestClient(worker.ports().get(Role.MODEL))) {
                assertEquals(
                        200,
                        client.send("GET /claude/foundation-models HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n\r\n")
                                .answer()
                                .status());
            }
        }
    }

    @Test
    void shouldRefuseWhatWouldSendCredentialsOrCannotBeSigned() throws Exception {
        try (TestServer server = egress.plain(CHECKING)) {
            String head = "POST " + INVOKE + " HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n";
            Answer plain = send(worker(server, ""), head, "{}");
            assertEquals(403, plain.status());
            assertTrue(plain.body().contains("TLS only"), plain.body());

            Worker worker = worker(server, "'allowPlaintext': true");
            String placeholder = worker.placeholders().get("AWS");
            for (Map.Entry<String, String> where : Map.of("X-Note: " + placeholder + "\r\n", "{}", "", placeholder)
                    .entrySet()) {
                Answer refused = send(worker, head + where.getKey(), where.getValue());
                assertEquals(403, refused.status());
                assertTrue(refused.body().contains("may not go to this host"), refused.body());
            }
            egress.environment.put("AWS", "no credentials of AWS at all");
            Answer none = send(worker(server, "'allowPlaintext': true"), head, "{}");
            assertEquals(403, none.status());
            assertTrue(none.body().contains("has no credentials of AWS"), none.body());
            assertEquals(List.of(), server.requests());
        }
    }
}
