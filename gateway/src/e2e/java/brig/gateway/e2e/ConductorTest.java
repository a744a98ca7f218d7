package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One agent here that works on two hosts. */
@Timeout(240)
@Tag("slow")
class ConductorTest {
    private static final String ONE = "build1";
    private static final String TWO = "build2";

    private static Run shell(Product product, String script, String... hosts) throws IOException {
        List<String> words = new ArrayList<>(List.of("tunnel"));
        words.addAll(List.of(hosts));
        words.addAll(List.of("--", "shell", script));
        return product.brig(words.toArray(String[]::new));
    }

    @Test
    void shouldWorkOnBothHostsAndGoOnWhenOneIsLost() throws IOException {
        SshHost.requireSshfs();
        try (SshHost one = SshHost.start(ONE);
                SshHost two = SshHost.start(TWO);
                Product product = Product.start()) {
            one.prepare("mkdir app; echo of-one > app/a.txt; echo KEY=1 > app/.env");
            two.prepare("mkdir db app; echo of-two > db/b.txt; echo KEY=2 > db/.env");
            one.addTo(product, "--tunnel-only");
            two.addTo(product, "--tunnel-only");
            String app = "/home/" + ONE + "/app";
            String db = "/home/" + TWO + "/db";
            String[] both = {ONE + ":" + app, TWO + ":" + db};

            Run plain = shell(product, "id -un; pwd; cat a.txt", both);
            assertEquals(ONE + "\n" + app + "\nof-one", plain.out().strip(), plain::err);
            Run named = shell(product, TWO + ": id -un; pwd; cat b.txt; cat .env; echo a: b; exit 5", both);
            assertEquals(TWO + "\n" + db + "\nof-two\na: b", named.out().strip(), named::err);
            assertEquals(5, named.exitCode());
            Run own = shell(product, ONE + ": id -un", both);
            assertEquals(ONE, own.out().strip(), own::err);
            Run unknown = shell(product, "build3: id -un", both);
            assertEquals(126, unknown.exitCode());
            assertTrue((unknown.out() + unknown.err()).contains(ONE + ", " + TWO), unknown::toString);

            Run same = shell(product, "true", ONE + ":" + app, TWO + ":/home/" + TWO + "=" + app + "/x");
            assertTrue(same.err().contains("INVALID_FIELD") && same.err().contains("--map"), same::err);

            // An agent whose own process is in the wall, and which has a shell and files of both.
            Files.write(
                    product.agents().resolve("hands.json"),
                    Json.write(Map.of(
                            "description",
                            "uses shells and files",
                            "command",
                            List.of("/run/brig/local/bash", "-c", "eval -- \"$(<{messageFile})\""))));
            String script = "echo \"hosts $BRIG_HOSTS\"; cat " + app + "/a.txt " + db + "/b.txt;"
                    + " echo new > " + db + "/c.txt; cat " + db + "/.env;"
                    + " bash -c '" + TWO + ": cat c.txt; pwd'; (cd " + db + " && bash -c 'id -un; pwd');"
                    + " bash -c 'echo done > done.txt';"
                    + " until bash -c 'test -e go.txt'; do :; done;"
                    + " bash -c '" + TWO + ": id'; echo \"lost $?\"; cat " + db
                    + "/b.txt; echo \"lost $?\"; bash -c 'cat a.txt'";
            Process agent = new ProcessBuilder(product.command("tunnel", both[0], both[1], "--", "hands", script))
                    .redirectErrorStream(true)
                    .redirectOutput(product.folder().resolve("said").toFile())
                    .start();
            Path done = one.home().resolve("app/done.txt");
            Await.until("it is in the middle", () -> Files.exists(done) || !agent.isAlive());
            two.stopServer();
            two.killSessions();
            Files.writeString(one.home().resolve("app/go.txt"), "");
            Await.until("the agent has ended", () -> !agent.isAlive());
            String said = Files.readString(product.folder().resolve("said"));
            assertTrue(said.contains("hosts " + both[0] + " " + both[1] + "\nof-one\nof-two\n"), said);
            assertTrue(said.contains("new\n" + db + "\n"), said);
            assertTrue(said.contains(TWO + "\n" + db + "\n"), said);
            assertEquals("new\n", Files.readString(two.home().resolve("db/c.txt")));
            assertFalse(said.contains("KEY="), said);
            assertTrue(said.contains("lost 255\n") && said.contains("lost 1\n"), said);
            assertTrue(said.substring(said.lastIndexOf("lost 1")).contains("of-one"), said);
        }
    }
}
