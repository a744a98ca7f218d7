package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code brig host}: from a host where nobody has been to one that is removed, and hosts that lack something. */
@Timeout(300)
@Tag("slow")
class HostCommandTest {
    private static final String HOST = "build1";
    private static final Path BWRAP = Path.of("/usr/bin/bwrap");

    private static SshHost host;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        host = SshHost.start(HOST);
        Payloads.hasten(host);
        product = Payloads.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            product.close();
        }
        if (host != null) {
            host.close();
        }
    }

    private static Run add(Product by, String name) throws IOException {
        return by.brig(
                "host", "add", name, HOST, "--", "-F", host.config().file().toString());
    }

    private static Run remove(Product by, String name) throws IOException {
        Await.until("nothing lives there", () -> by.brig("host", "rm", name).exitCode() == 0);
        return by.brig("host", "list");
    }

    /** The names of all checks, and how each went. */
    private static List<String> checks(Run doctor) {
        return doctor.out()
                .lines()
                .filter(line -> line.matches(".* (OK|WARN|FAIL) .*"))
                .map(line -> line.replaceAll("^(\\S+(?: \\S+)*) {2,}(\\S+) .*", "$1 $2"))
                .toList();
    }

    private static JsonObject spawn(Product by, String name, String more) throws IOException {
        return by.ask(
                "{\"action\":\"spawn\",\"host\":\"" + name + "\",\"agent_config\":{\"name\":\"shell\"}" + more + "}");
    }

    private static String listed(Product by, String name) throws IOException {
        return by.brig("host", "list")
                .out()
                .lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElse("");
    }

    @Test
    void shouldAskForTheHostsKeyOnceAndBringWhatIsNeeded() throws IOException {
        host.reboot();
        TestFolders.delete(host.home().resolve(".brig"));
        host.config().forget();
        try (Pty pty = Pty.start(product.command(
                "host",
                "add",
                "--label",
                "far",
                "new",
                HOST,
                "--",
                "-F",
                host.config().file().toString(),
                "-o",
                "StrictHostKeyChecking=ask"))) {
            pty.readUntil("continue connecting (yes/no", 1);
            for (char key : "yes\n".toCharArray()) {
                pty.press(key);
            }
            String shown = pty.readToEnd();
            assertTrue(shown.contains("new: deploying") && shown.contains("new: up"), shown);
        }
        assertTrue(listed(product, "new").contains(" up "), listed(product, "new"));
        assertTrue(Files.exists(host.home()
                .resolve(".brig/versions")
                .resolve(Payloads.version())
                .resolve("bin/brig-host")));
        Run check = product.brig("host", "check", "new");
        assertEquals(0, check.exitCode(), check::toString);
        assertTrue(checks(check).containsAll(List.of("ssh OK", "bubblewrap OK", "disk OK")), check::out);
        assertEquals(checks(check), checks(product.brig("doctor", "--host", "new")));
        long logins = host.logins();
        Run upgrade = product.brig("host", "upgrade", "new");
        assertEquals(0, upgrade.exitCode(), upgrade::toString);
        assertEquals(logins, host.logins());

        spawn(product, "new", ",\"task_id\":\"stays\"");
        Run inUse = product.brig("host", "rm", "new");
        assertTrue(inUse.exitCode() != 0 && inUse.err().contains("live on host new"), inUse::toString);
        product.ask("{\"action\":\"terminate\",\"id\":\"stays\"}");
        assertFalse(remove(product, "new").out().contains("new"));
        assertEquals("NOT_FOUND", spawn(product, "new", "").text("code"));
    }

    @Test
    void shouldSayWhatAHostLacksAndTakeItOnceItIsThere() throws IOException {
        host.hide(BWRAP, true);
        try {
            Run added = add(product, "unfit");
            assertTrue(added.exitCode() == 1 && added.err().contains("install bubblewrap"), added::toString);
            assertTrue(listed(product, "unfit").contains(" unfit"), listed(product, "unfit"));
            JsonObject refused = spawn(product, "unfit", "");
            assertEquals("HOST_UNFIT", refused.text("code"), refused::toString);
            assertTrue(refused.toString().contains("install bubblewrap"), refused::toString);
            Run check = product.brig("host", "check", "unfit");
            assertTrue(check.exitCode() == 1 && checks(check).contains("bubblewrap FAIL"), check::toString);
        } finally {
            host.hide(BWRAP, false);
        }
        Run mended = product.brig("host", "upgrade", "unfit");
        assertEquals(0, mended.exitCode(), mended::toString);
        Run run = product.brig("run", "--host", "unfit", "shell", "--", "echo fit");
        assertEquals("fit\n", run.out(), run::toString);
        remove(product, "unfit");
    }

    @Test
    void shouldKeepApartWhatTwoGatewaysHaveInOneAccount() throws IOException {
        try (Product other = Payloads.start()) {
            assertEquals(0, add(product, "shared").exitCode());
            Run added = add(other, "shared");
            assertEquals(0, added.exitCode(), added::toString);
            Spawned mine = new Spawned(product, spawn(product, "shared", ",\"task_id\":\"same\""));
            Spawned theirs = new Spawned(other, spawn(other, "shared", ",\"task_id\":\"same\""));
            assertNotEquals(mine.workspace().getParent(), theirs.workspace().getParent());
            other.kill();
            other.serve();
            Await.until("its link is up again", () -> listed(other, "shared").contains(" up "));
            for (Spawned spawned : List.of(mine, theirs)) {
                try (Wire captain = spawned.captain()) {
                    captain.sendLine(Spawned.user("echo alive"));
                    assertEquals(
                            "alive\n",
                            new Frames().readUntilType(captain, "done").text());
                }
            }
            other.ask("{\"action\":\"terminate\",\"id\":\"same\"}");
            remove(other, "shared");
            assertEquals("running", mine.view().text("state"));
        }
        product.ask("{\"action\":\"terminate\",\"id\":\"same\"}");
        remove(product, "shared");
    }

    @Test
    void shouldKeepApartWhatOneGatewayHasUnderTwoNamesOfOneAccount() throws IOException {
        assertEquals(0, add(product, "first").exitCode());
        Spawned one = new Spawned(product, spawn(product, "first", ",\"task_id\":\"one\""));
        assertEquals(0, add(product, "second").exitCode());
        Spawned two = new Spawned(product, spawn(product, "second", ",\"task_id\":\"two\""));
        for (Spawned spawned : List.of(one, two)) {
            try (Wire captain = spawned.captain()) {
                captain.sendLine(Spawned.user("echo alive"));
                assertEquals(
                        "alive\n", new Frames().readUntilType(captain, "done").text());
            }
            product.ask("{\"action\":\"terminate\",\"id\":\"" + spawned.id() + "\"}");
        }
        remove(product, "first");
        remove(product, "second");
    }
}
