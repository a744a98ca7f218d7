package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.provider.TestCertificate;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a gateway comes into NATS: over TLS, with credentials that an operator signed; and what it says when it does not. */
@Timeout(4 * Await.DEADLINE_SECONDS)
@Tag("slow")
class ClusterAccessTest {
    private final Path folder = Files.createTempDirectory("brig-nats-access-");
    private final TestCertificate certificate = TestCertificate.in(Files.createDirectory(folder.resolve("own")));
    private final NatsOperator operator = new NatsOperator();

    ClusterAccessTest() throws IOException, GeneralSecurityException {}

    @AfterEach
    void removeFolder() throws IOException {
        TestFolders.delete(folder);
    }

    private NatsServers.Access overTls() throws IOException, GeneralSecurityException {
        byte[] key =
                own().getKey("server", TestCertificate.PASSWORD.toCharArray()).getEncoded();
        Path pem = folder.resolve("key.pem");
        Files.writeString(
                pem,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                                .encodeToString(key)
                        + "\n-----END PRIVATE KEY-----\n");
        String tls = "tls { cert_file: \"" + certificate.pem() + "\", key_file: \"" + pem + "\" }\n";
        return new NatsServers.Access(
                "tls", operator.config() + tls, operator.user(), operator.systemUser(), trusting());
    }

    private SSLContext trusting() throws IOException, GeneralSecurityException {
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("server", own().getCertificate("server"));
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private KeyStore own() throws IOException, GeneralSecurityException {
        return KeyStore.getInstance(certificate.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray());
    }

    private Path secret(String name, String text) throws IOException {
        Path file = Files.createFile(
                folder.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    private Map<String, Object> cluster(NatsServers nats) throws IOException {
        return new LinkedHashMap<>(Map.of(
                "servers", nats.urls(),
                "name", "g1",
                "credentialsFile", nats.credentials(),
                "systemCredentialsFile", nats.systemCredentials(),
                "caFile", certificate.pem().toString(),
                "keyFile",
                        secret("cluster.key", "0123456789abcdef0123456789abcdef\n")
                                .toString(),
                "replicas", 1L,
                "hosts", Map.of()));
    }

    @Test
    void shouldComeInOverTlsWithCredentialsThatAnOperatorSigned() throws Exception {
        try (NatsServers nats = NatsServers.start(1, overTls())) {
            Map<String, Object> cluster = cluster(nats);
            try (Product gateway = Product.start(Map.of("cluster", cluster))) {
                Run status = gateway.brig("cluster", "status", "--json");
                assertEquals(0, status.exitCode(), status.toString());
                assertTrue(status.out().contains("\"connected\":true"), status.out());
            }

            TestCertificate other = TestCertificate.in(Files.createDirectory(folder.resolve("other")));
            cluster.put("caFile", other.pem().toString());
            String untrusted = Product.refusal(Map.of("cluster", cluster));
            assertTrue(untrusted.contains("cannot connect to NATS"), untrusted);
            assertTrue(untrusted.contains("cluster.caFile"), untrusted);

            cluster.put("caFile", certificate.pem().toString());
            String seed = operator.user();
            cluster.put(
                    "credentialsFile",
                    secret("foreign.creds", new NatsOperator().user()).toString());
            String foreign = Product.refusal(Map.of("cluster", cluster));
            assertTrue(foreign.contains("cannot connect to NATS"), foreign);
            assertTrue(foreign.contains("cluster.credentialsFile"), foreign);
            assertTrue(!foreign.contains("NKEY") && !foreign.contains(seed), foreign);
        }
    }

    @Test
    void shouldBeReadyOnlyWhileItIsConnected() throws Exception {
        try (NatsServers nats = NatsServers.start(1, overTls())) {
            Map<String, Object> cluster = cluster(nats);
            String nobody = folder.resolve("link.sock").toString();
            cluster.put("hosts", Map.of("w1", Map.of("socket", nobody, "labels", List.of())));
            try (Product gateway = Product.start(Map.of("cluster", cluster))) {
                Await.until("it is ready", () -> gateway.web().get("/readyz").status() == 200);
                nats.kill(0);
                Await.until(
                        "it says what is in the way",
                        () -> gateway.web().get("/readyz").response().body().equals("not ready: cluster\n"));
                assertEquals(503, gateway.web().get("/readyz").status());
                nats.restart(0);
                Await.until(
                        "it is ready again", () -> gateway.web().get("/readyz").status() == 200);
            }
        }
    }
}
