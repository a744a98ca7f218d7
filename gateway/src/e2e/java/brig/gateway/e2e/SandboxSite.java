package brig.gateway.e2e;

import brig.gateway.e2e.provider.FakeOpenSandbox;
import brig.gateway.e2e.provider.FakeProvider;
import brig.gateway.e2e.provider.FakeSandbox;
import brig.gateway.e2e.provider.FakeSprites;
import brig.gateway.e2e.provider.TestCertificate;
import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** A gateway with a provider of sandboxes, each a real wall of this machine. */
final class SandboxSite implements AutoCloseable {
    /** Which API the provider has. */
    enum Kind {
        SPRITES,
        OPENSANDBOX;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Path folder = Files.createTempDirectory("brig-provider-");
    private final FakeProvider provider;
    private final Product product;

    private SandboxSite(Kind kind, Map<String, ?> more) throws IOException, GeneralSecurityException {
        TestCertificate certificate = TestCertificate.in(folder);
        provider = kind == Kind.SPRITES ? new FakeSprites(certificate) : new FakeOpenSandbox(certificate);
        Path key = folder.resolve("key");
        Files.writeString(key, FakeProvider.TOKEN + "\n");
        Map<String, Object> settings = new LinkedHashMap<>(Map.of(
                "kind", kind.wireName(),
                "url", provider.url(),
                "keyFile", key.toString(),
                "lifeMaxMinutes", 60L,
                "dollarsPerHour", 0.5,
                "image", "debian:13",
                "caFile", certificate.pem().toString(),
                "networks", List.of("127.0.0.0/8")));
        settings.putAll(more);
        product = Product.prepare(Map.of(
                "providers",
                Map.of("cloud", settings),
                "worker",
                Map.of("routesDir", folder.resolve("routes").toString())));
    }

    /** Starts both; skips the test where this machine can have no such sandboxes. */
    static SandboxSite start(Kind kind, Map<String, ?> more) throws IOException, GeneralSecurityException {
        String lack = FakeSandbox.whyNot().orElse("");
        Assumptions.assumeTrue(lack.isEmpty(), lack);
        SandboxSite site = new SandboxSite(kind, more);
        try {
            Payloads.keepFor(site.product);
            site.product.serve();
            return site;
        } catch (IOException | RuntimeException | AssertionError e) {
            site.close();
            throw e;
        }
    }

    static SandboxSite start(Kind kind) throws IOException, GeneralSecurityException {
        return start(kind, Map.of());
    }

    FakeProvider provider() {
        return provider;
    }

    Product product() {
        return product;
    }

    JsonObject view(String id) throws IOException {
        return product.ask("{\"action\":\"status\",\"spawn_id\":\"" + id + "\"}");
    }

    void awaitNoSandbox() throws IOException {
        Await.until("no sandbox is left", () -> provider.alive().isEmpty());
    }

    @Override
    public void close() throws IOException {
        product.close();
        provider.close();
        TestFolders.deleteLeft(folder);
    }
}
