package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A host whose bubblewrap goes away: in a mount namespace something else lies over it. */
@Timeout(60)
class NoBubblewrapTest {
    private static final String HIDE = "mount --bind /dev/null /usr/bin/bwrap";

    @Test
    void shouldRefuseSpawnAndTellDoctorWhenBubblewrapIsGone() throws Exception {
        Product.requireRoot("a mount namespace");
        try (Product product = Product.prepare(Map.of()).inMountNamespace("true")) {
            product.serve();
            try (Wire wire = product.shell("echo hi").attach("captain")) {
                assertEquals("hi\n", new Frames().readAll(wire).text());
            }
            hide(product.process().pid());
            JsonObject refused =
                    product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"echo no\"}");
            assertEquals("SANDBOX_UNAVAILABLE", refused.text("code"));
            assertTrue(refused.text("error", "").contains("bwrap"), () -> refused.text("error", ""));
            Run doctor = product.brig("doctor");
            assertEquals(1, doctor.exitCode(), doctor::out);
            assertTrue(doctor.out().contains("bubblewrap"), doctor::out);
        }
    }

    private static void hide(long pid) throws IOException, InterruptedException {
        Process mount = new ProcessBuilder("nsenter", "-t", String.valueOf(pid), "-m", "sh", "-c", HIDE)
                .inheritIO()
                .start();
        assertTrue(mount.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(0, mount.exitValue());
    }
}
