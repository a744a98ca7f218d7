package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.workeragent.TestFolders;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Routes to clouds, with the variables of the shipped profile of Claude Code and a server in the clouds' place. */
@Timeout(240)
@Tag("slow")
class CloudRoutesTest {
    private static final int REFUSED = 125;
    private static final String ASKER = """
            url=${BRIG_MODEL_URL_CLAUDE#http://}
            exec 3<>/dev/tcp/${url%%[:/]*}/$(p=${url#*:}; echo ${p%%/*})
            printf 'POST /claude/model/m%%3A0/invoke HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\ncontent-length: 2\\r\\n\\r\\n{}' >&3
            echo "$AWS_REGION $CLOUD_ML_REGION $ANTHROPIC_VERTEX_PROJECT_ID $ANTHROPIC_API_KEY $(head -1 <&3)"
            """;
    private static final String SECRET = "planted+secret/of+a+person/at+aws";
    private static final String KEY = "planted-key-in-a-credential-0001";
    private static final String SETUP_TOKEN = "sk-ant-oat01-planted-in-a-credential-0002";
    private static final String TOKEN = "planted-token-of-google-0001";

    private Path folder;
    private Product product;
    private HttpServer cloud;
    /** What requests to models carried. */
    private final Queue<String> carried = new ConcurrentLinkedQueue<>();

    private final AtomicInteger renewals = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        folder = TestFolders.create("brig-clouds-");
        Path credentials = Files.createDirectory(folder.resolve("credentials"));
        Files.writeString(credentials.resolve("model-key"), KEY + "\n");
        Files.writeString(credentials.resolve("claude-token"), SETUP_TOKEN + "\n");
        product = Product.prepare(Map.of(
                        "worker", Map.of("routesDir", folder.resolve("routes").toString())))
                .with("CREDENTIALS_DIRECTORY=" + credentials);
        product.serve();
        cloud = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        cloud.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        cloud.createContext("/token", this::token);
        cloud.createContext("/", this::model);
        cloud.start();
        Map<String, Object> claude = Json.parseObject(shipped());
        product.addProfile(
                "asker",
                "shell",
                Map.of(
                        "command", List.of("/bin/bash", "-c", ASKER),
                        "policy", "claude",
                        "models", List.of("claude"),
                        "env", Map.of("ANTHROPIC_API_KEY", "key"),
                        "apis", claude.getOrDefault("apis", Map.of())));
    }

    private static byte[] shipped() throws IOException {
        return Json.write(brig.protocol.json.JsonObject.readCommented(
                Files.readString(Path.of(System.getProperty("brig.product"), "config/agents/claude.json"))));
    }

    @AfterEach
    void stop() throws IOException {
        cloud.stop(0);
        product.close();
        TestFolders.delete(folder);
    }

    private String url() {
        return "http://127.0.0.1:" + cloud.getAddress().getPort();
    }

    private void token(HttpExchange exchange) throws IOException {
        renewals.incrementAndGet();
        boolean good = new String(exchange.getRequestBody().readAllBytes(), UTF_8)
                .startsWith("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ey");
        answer(
                exchange,
                good ? 200 : 400,
                good
                        ? "{\"access_token\":\"" + TOKEN + "\",\"expires_in\":3599,\"token_type\":\"Bearer\"}"
                        : "{\"error\":\"invalid_grant\"}");
    }

    private void model(HttpExchange exchange) throws IOException {
        carried.add(
                exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("authorization"));
        answer(exchange, 200, "{}");
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(status, body.length());
            exchange.getResponseBody().write(body.getBytes(UTF_8));
        }
    }

    private String account(String tokenUrl) throws GeneralSecurityException, IOException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        String pem = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(generator.generateKeyPair().getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
        return Files.write(
                        folder.resolve("account.json"),
                        Json.write(Map.of(
                                "type",
                                "service_account",
                                "client_email",
                                "brig@my-project.iam.gserviceaccount.com",
                                "private_key",
                                pem,
                                "token_uri",
                                tokenUrl)))
                .toString();
    }

    @Test
    void shouldSignRequestsToBedrockOutsideTheWall() throws IOException {
        Path keys = Files.writeString(
                folder.resolve("keys"),
                "{\n \"Version\": 1,\n \"AccessKeyId\": \"AKIDEXAMPLE\",\n \"SecretAccessKey\": \"" + SECRET
                        + "\"\n}\n");
        Run set = product.brig(
                "route", "set", "claude", "--bedrock", "us-east-1", "--url", url(), "--key-file", keys.toString());
        assertEquals(0, set.exitCode(), set::err);
        assertFalse((set.out() + set.err()).contains("planted"), set::err);
        Files.delete(keys);
        Run run = product.brig("run", "asker", "--", "ask");
        assertTrue(run.out().contains("us-east-1    HTTP/1.1 200 OK"), () -> run.out() + run.err());
        String request = carried.remove();
        assertTrue(
                request.startsWith("/model/m%3A0/invoke AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
                        && request.contains(
                                "/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date"),
                request);
        assertEquals(List.of(), new Secrets("planted").filesIn(product.folder()));
        assertEquals(List.of(folder.resolve("secrets/route-claude")), new Secrets(SECRET).filesIn(folder));
    }

    @Test
    void shouldGetATokenForVertexOnceForAll() throws Exception {
        Run set = product.brig(
                "route",
                "set",
                "claude",
                "--vertex",
                "us-east5",
                "--project",
                "my-project",
                "--url",
                url(),
                "--key-file",
                account(url() + "/token"));
        assertEquals(0, set.exitCode(), set::err);
        for (int i = 0; i < 2; i++) {
            Run run = product.brig("run", "asker", "--", "ask");
            assertTrue(run.out().contains(" us-east5 my-project  HTTP/1.1 200 OK"), () -> run.out() + run.err());
            assertEquals("/model/m%3A0/invoke Bearer " + TOKEN, carried.remove());
        }
        assertEquals(1, renewals.get());
        assertEquals(List.of(), new Secrets(TOKEN).filesIn(product.folder()));
    }

    @Test
    void shouldTakeKeysAndTokensFromCredentialsOfSystemd() throws IOException {
        Run key = product.brig(
                "route", "set", "claude", "--url", url(), "--header", "authorization", "--credential", "model-key");
        assertEquals(0, key.exitCode(), key::err);
        assertTrue(key.err().contains("credential model-key of systemd"), key::err);
        product.brig("run", "asker", "--", "ask");
        assertEquals("/model/m%3A0/invoke Bearer " + KEY, carried.remove());
        assertTrue(product.brig("route", "list").out().contains("credential"), "route list says what holds it");

        Run login = product.brig("--json", "login", "claude", "--credential", "claude-token", "--url", url());
        assertEquals(0, login.exitCode(), login::err);
        assertEquals("credential", login.json().text("store"));
        product.brig("run", "asker", "--", "ask");
        assertEquals("/model/m%3A0/invoke Bearer " + SETUP_TOKEN, carried.remove());
        assertEquals(
                "credential",
                product.brig("--json", "route", "list")
                        .json()
                        .objects("routes")
                        .getFirst()
                        .text("store"));
        Run gone = product.brig("login", "claude", "--credential", "../account", "--url", url());
        assertEquals(REFUSED, gone.exitCode());
        assertEquals(List.of(), new Secrets("planted").filesIn(product.folder()));
        assertEquals(
                List.of(folder.resolve("credentials/claude-token"), folder.resolve("credentials/model-key")),
                new Secrets("planted").filesIn(folder).stream().sorted().toList());
    }

    @Test
    void shouldRefuseWhatIsNoRouteToACloud() throws Exception {
        String account = account("https://tokens.example.org/token");
        for (List<String> wrong : List.of(
                List.of("claude", "--bedrock", "us-east-1"),
                List.of("claude", "--bedrock", "US East", "--key-file", account),
                List.of("claude", "--bedrock", "us-east-1", "--key-file", account),
                List.of("codex", "--bedrock", "us-east-1", "--key-file", account),
                List.of("claude", "--vertex", "us-east5", "--key-file", account),
                List.of("claude", "--vertex", "us-east5", "--project", "p", "--key-file", account),
                List.of("claude", "--vertex", "us-east5", "--project", "p"),
                List.of("claude", "--bedrock", "a", "--vertex", "b", "--key-file", account))) {
            List<String> words = new java.util.ArrayList<>(List.of("route", "set"));
            words.addAll(wrong);
            Run run = product.brig(words.toArray(String[]::new));
            assertEquals(REFUSED, run.exitCode(), wrong::toString);
            assertFalse(run.err().contains("PRIVATE"), run::err);
        }
        assertFalse(Files.exists(folder.resolve("routes")));
    }
}
