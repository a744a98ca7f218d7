package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents here, whose files and commands are those of a host that ssh reaches. */
@Timeout(240)
class TunnelTest {
    private static final String NAME = "build1";

    private static Run tunnel(Product product, String where, String script) throws Exception {
        return product.brig("tunnel", where, "--", "shell", script);
    }

    @Test
    void shouldWorkThereWithFilesAndCommands() throws Exception {
        SshHost.requireSshfs();
        try (SshHost host = SshHost.start(NAME);
                Product product = Product.start()) {
            host.prepare("mkdir app; echo hello > app/a.txt; echo KEY=1 > app/.env");
            Path app = host.home().resolve("app");
            Run added = host.addTo(product, "--tunnel-only");
            assertTrue(added.err().contains("for tunnels only"), added::err);
            assertTrue(product.brig("host", "list").out().contains("up, tunnels only"));
            Run checked = product.brig("host", "check", NAME);
            assertEquals(0, checked.exitCode(), checked::out);
            assertTrue(checked.out().contains("sftp"), checked::out);
            Run refused = product.brig("run", "--host", NAME, "shell", "--", "true");
            assertTrue(refused.err().contains("HOST_UNFIT") && refused.err().contains("tunnels only"), refused::err);
            String log = Files.readString(product.log());
            assertEquals(
                    1, log.lines().filter(line -> line.contains("host_login")).count(), log);
            long logins = host.logins();
            String folder = "/home/" + NAME + "/app";

            Run there = tunnel(product, NAME + ":" + folder, "id -un; pwd; cat a.txt; echo new > b.txt; exit 3");
            assertEquals(3, there.exitCode(), there::err);
            assertEquals(NAME + "\n" + folder + "\nhello", there.out().strip());
            assertEquals("new\n", Files.readString(app.resolve("b.txt")));

            Run hidden = tunnel(product, NAME + ":~/app", "cat .env; ln .env x; cat x; cat .en*; true");
            assertFalse((hidden.out() + hidden.err()).contains("KEY"), hidden::out);

            Run mapped = product.brig("tunnel", NAME + ":" + folder, "--map", "/src/app", "--", "shell", "cat a.txt");
            assertEquals("hello", mapped.out().strip(), mapped::err);

            assertTrue(tunnel(product, NAME + ":/none", "true").err().contains("folder"));
            assertTrue(tunnel(product, "other:/srv", "true").err().contains("HOST_UNREACHABLE"));
            assertEquals(logins, host.logins(), "commands and files go over the login of the link");
            assertFalse(Files.exists(host.home().resolve(".brig")), "nothing was brought there");
        }
    }
}
