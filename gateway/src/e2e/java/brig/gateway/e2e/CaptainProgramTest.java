package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One program of a captain, unchanged wherever its sessions run. */
@Timeout(240)
class CaptainProgramTest {
    private static final Path PROGRAM =
            Path.of(System.getProperty("brig.tests", "src/e2e"), "resources/brig/gateway/e2e/Captain.java");
    private static final String SAID = "first\nfirst\nmore\n M README\ncancelled: cancelled\nAnswers: allow, deny";

    private static void checkProgram(Product product, String... where) throws IOException {
        Path repository = Repositories.make(product, "shop");
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                ClientProgram.classes(),
                PROGRAM.toAbsolutePath().toString(),
                product.spawner().toString(),
                repository.toString()));
        command.addAll(List.of(where));
        Run run = Run.of(command, "", product.folder(), 180);
        assertEquals(SAID, run.out(), run::err);
        Await.until(
                "its changes are here", () -> product.brig("diff", "fix").out().contains("+more"));
        assertEquals(0, product.brig("apply", "fix").exitCode());
        assertEquals("first\nmore\n", Files.readString(repository.resolve("README")));
    }

    @Test
    void shouldRunHere() throws IOException {
        try (Product product = Product.start()) {
            checkProgram(product);
        }
    }

    @Test
    void shouldRunOnAHostThatSshReaches() throws IOException {
        try (SshHost host = SshHost.start("build1");
                RemoteSite site = RemoteSite.start(Map.of(), host)) {
            checkProgram(site.product(), "host", "build1");
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void shouldRunInSandboxes(SandboxSite.Kind kind) throws Exception {
        try (SandboxSite site = SandboxSite.start(kind)) {
            checkProgram(site.product(), "provider", "cloud");
            site.awaitNoSandbox();
        }
    }
}
