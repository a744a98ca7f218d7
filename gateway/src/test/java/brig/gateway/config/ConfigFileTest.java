package brig.gateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    void shouldTakeProvidersAndSayWhatIsWrongWithOne() throws IOException {
        String sprites = "{\"providers\": {\"NAME\": {\"kind\": \"KIND\", \"url\": \"https://api.sprites.dev\","
                + " \"keyFile\": \"/etc/brig/sprites.key\", \"dollarsPerHour\": 0.25LIFE}}}";
        String life = ", \"lifeMaxMinutes\": 60";
        Config.SandboxProvider provider = load(sprites.replace("NAME", "sprites")
                        .replace("KIND", "sprites")
                        .replace("LIFE", life))
                .providers()
                .get("sprites");
        assertEquals(60, provider.lifeMaxMinutes());
        assertEquals(0.25, provider.dollarsPerHour());
        assertEquals(HostEgress.HOME, provider.egress());
        assertTrue(refusal(sprites.replace("NAME", "sprites")
                        .replace("KIND", "sprites")
                        .replace("LIFE", ""))
                .contains("lifeMaxMinutes"));
        assertTrue(refusal(sprites.replace("NAME", "local")
                        .replace("KIND", "sprites")
                        .replace("LIFE", life))
                .contains("not be local"));
        assertTrue(refusal(sprites.replace("NAME", "box")
                        .replace("KIND", "opensandbox")
                        .replace("LIFE", life))
                .contains("image"));
        assertTrue(refusal(sprites.replace("0.25", "-1")
                        .replace("NAME", "box")
                        .replace("KIND", "sprites")
                        .replace("LIFE", life))
                .contains("dollarsPerHour"));
    }

    private static String cluster(String servers, String name, String rest) {
        return "{\"cluster\": {\"servers\": " + servers + ", \"name\": \"" + name
                + "\", \"keyFile\": \"/etc/brig/cluster.key\"" + rest + "}}";
    }

    @Test
    void shouldTakeAClusterAndBeAloneWithoutOne() throws IOException {
        assertFalse(load("{}").cluster().isOn());
        Config.Cluster cluster = load(cluster(
                        "[\"nats://10.0.0.1:4222\", \"tls://nats.example.org:4222\"]",
                        "g1",
                        ", \"hosts\": {\"w1\": {\"socket\": \"/run/w1/link.sock\", \"labels\": [\"gpu\"]}}"))
                .cluster();
        assertTrue(cluster.isOn());
        assertEquals(3, cluster.replicas());
        assertFalse(cluster.unsafeSync());
        assertEquals(0, cluster.hosts().get("w1").workersMax());
        assertTrue(cluster.unsafely().unsafeSync());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    nats://10.0.0.1              | g1      |         | cluster.servers
                    http://10.0.0.1:4222         | g1      |         | cluster.servers
                    nats://u:pa55word@h:4222     | g1      |         | without a user
                    tls://h:4222/x               | g1      |         | cluster.servers
                    nats://h:4222                | ''      |         | name
                    nats://h:4222                | G 1     |         | name
                    nats://h:4222                | g.*     |         | name
                    nats://h:4222                | g1      | , "replicas": 2         | 1, 3 or 5
                    nats://h:4222                | g1      | , "replicas": 7         | replicas
                    nats://h:4222                | g1      | , "keepHours": 0        | keepHours
                    nats://h:4222                | g1      | , "hosts": {"w.>": {"socket": "/s"}} | name
                    nats://h:4222                | g1      | , "password": "x"       | password
                    """)
    void shouldSayWhatIsWrongWithAClusterAndShowNoPassword(String server, String name, String rest, String said) {
        String refusal = refusal(cluster("[\"" + server + "\"]", name, rest == null ? "" : rest));
        assertTrue(refusal.contains(said), refusal);
        assertFalse(refusal.contains("pa55word"), refusal);
    }

    @Test
    void shouldRefuseAClusterWithoutAKey() {
        assertTrue(refusal("{\"cluster\": {\"servers\": [\"nats://h:4222\"], \"name\": \"g1\"}}")
                .contains("cluster.keyFile is missing"));
    }

    @Test
    void shouldRefuseAHostThatIsSharedAndItsOwn() {
        assertTrue(refusal("{\"hosts\": {\"w1\": {\"ssh\": \"ci@w1\"}}, "
                        + cluster(
                                        "[\"nats://h:4222\"]",
                                        "g1",
                                        ", \"hosts\": {\"w1\": {\"socket\": \"/run/link.sock\"}}")
                                .substring(1))
                .contains("hosts and cluster.hosts both have w1"));
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

    private static String oidc(String more) {
        return "{\"oidc\":{\"issuer\":\"https://id.example.org/r\",\"clientId\":\"brig\",\"roles\":"
                + "[{\"claim\":\"groups\",\"value\":\"eng\",\"role\":\"captain\"}]" + (more.isEmpty() ? "" : "," + more)
                + "}}";
    }

    @Test
    void shouldSignNobodyInByAnIssuerUnlessItIsSet() throws IOException {
        assertEquals("", load("{}").oidc().issuer());
        Config.Oidc oidc = load(oidc("")).oidc();
        assertEquals(List.of(new Config.RoleRule("groups", "eng", Role.CAPTAIN)), oidc.roles());
        assertEquals("email", oidc.nameClaim());
        assertEquals(
                "http://127.0.0.1:9",
                load(oidc("\"issuer\":\"http://127.0.0.1:9\"").replace("\"issuer\":\"https://id.example.org/r\",", ""))
                        .oidc()
                        .issuer());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"publicUrl\":\"https://brig.example.org\"|the host of oidc.publicUrl must be in http.allowedHosts",
                "\"publicUrl\":\"http://brig.example.org\"|oidc.publicUrl must be such as",
                "\"publicUrl\":\"https://localhost/\"|oidc.publicUrl must be such as",
                "\"sessionMs\":59999|oidc.sessionMs",
                "\"sessionMs\":2592000001|oidc.sessionMs",
                "\"nameClaim\":\"\"|oidc.nameClaim is missing",
                "\"scopes\":[\"a b\"]|oidc.scopes has one that is no scope",
                "\"allowedDomains\":[\"Example.org\"]|oidc.allowedDomains must be such as",
                "\"clientSecret\":\"x\"|oidc.clientSecret"
            })
    void shouldRefuseASignInThatCannotBe(String more, String why) {
        String refusal = refusal(oidc(more));
        assertTrue(refusal.contains(why), refusal);
    }

    @Test
    void shouldRefuseAnIssuerInThePlainOrWithoutAClientOrRoles() {
        for (String url : List.of(
                "http://id.example.org",
                "https://user@id.example.org",
                "https://id.example.org/?a=b",
                "id.example.org")) {
            String refusal = refusal(oidc("").replace("https://id.example.org/r", url));
            assertTrue(refusal.contains("oidc.issuer must be https://"), refusal);
        }
        assertTrue(refusal(oidc("").replace("\"clientId\":\"brig\",", "")).contains("oidc.clientId is missing"));
        assertTrue(refusal("{\"oidc\":{\"issuer\":\"https://id.example.org\",\"clientId\":\"brig\"}}")
                .contains("oidc.roles is empty"));
        assertTrue(refusal(oidc("").replace("captain", "root")).contains("oidc.roles"));
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
