package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The conformance kit where each session is in a sandbox of its own. */
@Timeout(900)
@Tag("slow")
class SandboxKitTest {
    private static final long KIT_SECONDS = 600;
    /** The folder of payloads in an image, as docs/providers.md says it. It cannot be written, so nothing is brought. */
    private static final String PAYLOADS = "/var/lib/brig-sandbox/.brig/versions";

    /** Each check makes sandboxes, so all of the kit takes many minutes: these are what a sandbox has a part in. */
    @ParameterizedTest
    @CsvSource({"SPRITES, 'cancel,cut,repeat'", "OPENSANDBOX, 'seam,cancel,apart,cut,stall,tethered,repeat'"})
    void shouldKeepTheProtocol(SandboxSite.Kind kind, String checks) throws Exception {
        try (SandboxSite site = SandboxSite.start(kind)) {
            if (kind == SandboxSite.Kind.OPENSANDBOX) {
                site.provider().setFolders(Map.of(PAYLOADS, Payloads.unpacked()));
            }
            Product product = site.product();
            Run kit = product.program(
                    KIT_SECONDS,
                    "conformance",
                    product.url(),
                    "--token",
                    product.adminToken(),
                    "--provider",
                    "cloud",
                    "--only",
                    checks);
            assertEquals(0, kit.exitCode(), kit::toString);
            site.awaitNoSandbox();
        }
    }
}
