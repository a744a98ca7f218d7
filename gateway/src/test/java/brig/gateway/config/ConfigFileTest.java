package brig.gateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.HostSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {
    /** The checkout, whose config/brig.json ships; tests run in it or in the module's folder. */
    static final Path HOME = Files.exists(Path.of("config/brig.json")) ? Path.of("") : Path.of("..");

    @TempDir
    private Path temp;

    private Config load(String own) throws IOException {
        return ConfigFile.load(HOME, Files.writeString(temp.resolve("own.json"), own));
    }

    private String refusal(String own) {
        BrigException refusal = assertThrows(BrigException.class, () -> load(own));
        String file = temp.resolve("own.json") + ": ";
        assertTrue(refusal.getMessage().startsWith(file), refusal::getMessage);
        return refusal.code() + " " + refusal.getMessage().substring(file.length());
    }

    @Test
    void shouldBindTheShippedFileWithTheDocumentedDefaults() throws IOException {
        Config config = load("{}");
        assertEquals("127.0.0.1", config.http().host());
        assertEquals(7070, config.http().port());
        assertEquals(List.of(), config.allowedUids());
        assertEquals(List.of(), config.http().allowedOrigins());
        assertEquals(200, config.limits().workersMax());
        assertEquals(1 << 20, config.limits().retainedBytesPerStream());
        assertEquals(1 << 28, config.limits().logBytesPerStream());
        assertEquals("", config.stateDir());
        assertTrue(config.worker().has("memoryBytesMax"), "the worker-agent's part goes through as it is");
    }

    @Test
    void shouldLayTheOperatorsKeysOverTheDefaults() throws IOException {
        Config config = load("""
                // mine
                {"http": {"port": 0, "allowedHosts": ["brig.example.org"]}, "limits": {"workersMax": 7},
                 "worker": {"uid": 5}}
                """);
        assertEquals(0, config.http().port());
        assertEquals("127.0.0.1", config.http().host());
        assertEquals(List.of("brig.example.org"), config.http().allowedHosts());
        assertEquals(7, config.limits().workersMax());
        assertEquals(100, config.limits().workersPerCaptainMax());
        assertEquals(5L, config.worker().value("uid"));
        assertTrue(config.worker().has("pidsMax"));
    }

    @Test
    void shouldTakeHosts() throws IOException {
        Config.Host host = load("{\"hosts\": {\"build1\": {\"ssh\": \"ci@build1\", \"labels\": [\"gpu\"]}}}")
                .hosts()
                .get("build1");
        assertEquals("ci@build1", host.settings().ssh());
        assertEquals(List.of("gpu"), host.settings().labels());
        assertTrue(refusal("{\"hosts\": {\"build1\": {\"ssh\": \"-oProxyCommand=x\"}}}")
                .contains("must be such as user@host"));
    }

    @Test
    void shouldTakeTheUidsOfOtherUsers() throws IOException {
        assertEquals(
                List.of(1000, 1001), load("{\"allowedUids\": [1000, 1001]}").allowedUids());
    }

    @Test
    void shouldTakeHostsAndSayWhatIsWrongWithOne() throws IOException {
        HostSettings host = load("{\"hosts\":{\"web1\":{\"ssh\":\"me@web1\",\"tunnelOnly\":true}}}")
                .hosts()
                .get("web1")
                .settings();
        assertEquals("me@web1", host.ssh());
        assertTrue(host.tunnelOnly());
        assertTrue(
                refusal("{\"hosts\":{\"web1\":{\"ssh\":\"-oProxyCommand=x\"}}}").contains("ssh"));
    }

    @Test
    void shouldNameTheKeyWhenItIsUnknown() {
        assertTrue(refusal("{\"limits\":{\"workerMax\":7}}")
                .startsWith("INVALID_FIELD field 'limits.workerMax' is not known here; known are [connectionsMax,"));
        assertTrue(refusal("{\"htpp\":{}}").startsWith("INVALID_FIELD field 'htpp' is not known here"));
    }

    @Test
    void shouldNameTheKeyWhenItsValueIsOutOfRange() {
        Map<String, String> wrong = Map.ofEntries(
                Map.entry("{\"http\":{\"port\":-1}}", "field 'http.port' must be from 0 to 65535"),
                Map.entry("{\"http\":{\"port\":65536}}", "field 'http.port' must be from 0 to 65535"),
                Map.entry("{\"limits\":{\"workersMax\":0}}", "field 'limits.workersMax' must be at least 1"),
                Map.entry(
                        "{\"limits\":{\"workersPerCaptainMax\":0}}",
                        "field 'limits.workersPerCaptainMax' must be at least 1"),
                Map.entry("{\"limits\":{\"spawnCooldownMs\":-1}}", "field 'limits.spawnCooldownMs' must be at least 0"),
                Map.entry("{\"limits\":{\"connectionsMax\":0}}", "field 'limits.connectionsMax' must be at least 1"),
                Map.entry(
                        "{\"limits\":{\"subscriptionsPerStreamMax\":0}}",
                        "field 'limits.subscriptionsPerStreamMax' must be at least 1"),
                Map.entry(
                        "{\"limits\":{\"retainedBytesPerStream\":131071}}",
                        "field 'limits.retainedBytesPerStream' must be at least 131072"),
                Map.entry(
                        "{\"limits\":{\"retainedBytesTotal\":1048575}}",
                        "limits.retainedBytesTotal must be at least 1048576"),
                Map.entry(
                        "{\"limits\":{\"writeQueueBytes\":65535}}",
                        "field 'limits.writeQueueBytes' must be at least 65536"),
                Map.entry("{\"limits\":{\"slowReaderMs\":999}}", "field 'limits.slowReaderMs' must be at least 1000"),
                Map.entry(
                        "{\"limits\":{\"logBytesPerStream\":1048575}}",
                        "field 'limits.logBytesPerStream' must be at least 1048576"),
                Map.entry("{\"retention\":{\"days\":-1}}", "field 'retention.days' must be at least 0"),
                Map.entry("{\"retention\":{\"bytes\":-1}}", "field 'retention.bytes' must be at least 0"),
                Map.entry("{\"retention\":{\"spawns\":-1}}", "field 'retention.spawns' must be at least 0"),
                Map.entry(
                        "{\"limits\":{\"requestBodyBytes\":1023}}",
                        "field 'limits.requestBodyBytes' must be at least 1024"));
        wrong.forEach((own, message) -> assertEquals("INVALID_FIELD " + message, refusal(own)));
    }

    private static String webhook(String url, String secretFile, String publicUrl) {
        return "{\"asks\":{\"webhook\":{\"url\":\"" + url + "\",\"secretFile\":\"" + secretFile + "\",\"publicUrl\":\""
                + publicUrl + "\"}}}";
    }

    @Test
    void shouldTakeAWebhookThatIsEncryptedOrOfThisHost() throws IOException {
        assertEquals("", load("{}").asks().webhook().url());
        for (String url : List.of(
                "https://hooks.example.org/T0/B1?key=x",
                "http://127.0.0.1:9/hook",
                "http://[::1]:9/",
                "http://localhost")) {
            assertEquals(url, load(webhook(url, "/s", "")).asks().webhook().url());
        }
        assertEquals(
                "http://localhost:7070",
                load(webhook("https://a.example", "/s", "http://localhost:7070"))
                        .asks()
                        .webhook()
                        .publicUrl());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://hooks.example.org/",
                "http://127.0.0.1.example.org/",
                "https://user:pass@hooks.example.org/",
                "https://hooks.example.org/#part",
                "ftp://127.0.0.1/",
                "file:///etc/passwd",
                "https:///path",
                "hooks.example.org",
                "https://a b/"
            })
    void shouldRefuseAWebhookInThePlainOrWithAUser(String url) {
        String refusal = refusal(webhook(url, "/s", ""));
        assertTrue(refusal.contains("asks.webhook.url must be https://"), refusal);
        assertTrue(refusal(webhook("https://a.example", "/s", url)).contains("asks.webhook.publicUrl must be"), url);
    }

    @Test
    void shouldWantASecretAndAHostThatIsServed() {
        assertTrue(refusal(webhook("https://a.example", "", "")).contains("asks.webhook.secretFile is missing"));
        assertTrue(refusal(webhook("https://a.example", "/s", "https://brig.example.org/"))
                .contains("asks.webhook.publicUrl must be"));
        assertTrue(refusal(webhook("https://a.example", "/s", "https://brig.example.org"))
                .contains("the host of asks.webhook.publicUrl must be in http.allowedHosts"));
    }

    @Test
    void shouldTakeTheLeastValueOfEveryRange() throws IOException {
        Config config = load("""
                {"http": {"port": 65535}, "limits": {"workersMax": 1, "workersPerCaptainMax": 1, "connectionsMax": 1,
                 "subscriptionsPerStreamMax": 1, "retainedBytesPerStream": 131072, "retainedBytesTotal": 131072,
                 "writeQueueBytes": 65536, "slowReaderMs": 1000, "logBytesPerStream": 1048576, "requestBodyBytes": 1024}}
                """);
        assertEquals(131_072, config.limits().retainedBytesTotal());
    }

    @Test
    void shouldNameTheKeyWhenItsTypeIsWrong() {
        assertTrue(refusal("{\"http\":{\"port\":\"7070\"}}").contains("http.port"));
        assertTrue(refusal("{\"limits\":7}").contains("limits"));
        assertTrue(refusal("{\"allowedUids\":[\"root\"]}").contains("allowedUids"));
        assertTrue(refusal("{\"http\":{\"allowedHosts\":\"example.org\"}}").contains("http.allowedHosts"));
        assertTrue(refusal("{\"stateDir\":null}").contains("stateDir"));
    }

    @Test
    void shouldRefuseAFileThatIsNoJson() {
        BrigException refusal = assertThrows(BrigException.class, () -> load("{\"http\":"));
        assertEquals(ErrorCode.MALFORMED_JSON, refusal.code());
        assertTrue(refusal.getMessage().contains("own.json"), refusal::getMessage);
    }

    @Test
    void shouldNameTheFileWhenItCannotBeRead() {
        Path missing = temp.resolve("missing.json");
        BrigException refusal = assertThrows(BrigException.class, () -> ConfigFile.load(HOME, missing));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
        assertTrue(refusal.getMessage().contains(missing.toString()), refusal::getMessage);
    }
}
