package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two hosts that ssh reaches, one of which serves the networks of its workers itself. Profile, policy and secret are files
 * of the gateway's host.
 */
@Timeout(300)
@Order(3)
@Tag("slow")
class HandoverTest {
    private static final String NEWER = "planted-value-of-a-secret-6632";

    private static Outside outside;
    private static SshHost served;
    private static SshHost serving;
    private static RemoteSite site;

    @BeforeAll
    static void start() throws IOException {
        Product.requireRoot("to read the memory of another user's processes");
        outside = new Outside();
        served = SshHost.start("build1");
        serving = SshHost.start("build2");
        Map<String, Object> settings = new LinkedHashMap<>(outside.settings("mine"));
        settings.put("hosts", Map.of("build2", Map.of("egress", "there")));
        site = RemoteSite.start(settings, served, serving);
        site.product().addProfile("mine", "shell", Map.of("policy", "mine", "env", Map.of("MINE", "of home")));
    }

    @AfterAll
    static void stop() throws IOException {
        if (site != null) {
            site.close();
        }
        if (outside != null) {
            outside.close();
        }
    }

    @BeforeEach
    void write() throws IOException {
        outside.authorizations.clear();
        Files.write(outside.token(), (Outside.SECRET + "\n").getBytes(UTF_8));
        writePolicy("127.0.0.1:" + outside.port());
    }

    /** The outside has an address alone: names that lead there are a setting of each host. */
    private static void writePolicy(String allowed) throws IOException {
        outside.writePolicy("mine", 0);
        Map<String, Object> values = new LinkedHashMap<>(Json.parseCommented(Files.readString(outside.policy("mine"))));
        values.put("environment", List.of("PATH", "HOME", "MINE"));
        values.put(
                "egress",
                Map.of(
                        "allowedHosts",
                        List.of(allowed),
                        "secrets",
                        Map.of(
                                "TOKEN",
                                Map.of(
                                        "hosts",
                                        List.of("127.0.0.1:" + outside.port()),
                                        "file",
                                        outside.token().toString(),
                                        "allowPlaintext",
                                        true))));
        Files.write(outside.policy("mine"), Json.write(values));
    }

    private static Spawned spawn(SshHost host) throws IOException {
        return new Spawned(site.product(), site.ask(host.name(), "mine", "", false, Map.of()));
    }

    private static String said(Spawned spawned, String command) throws IOException {
        try (Wire captain = spawned.captain()) {
            captain.sendLine(Spawned.user(command));
            return new Frames().readUntilType(captain, "done").text();
        }
    }

    private static String curl() {
        return "curl -sS --noproxy '' -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:" + outside.port()
                + "/ 2>&1";
    }

    /** What of a host has it: nothing but the memory of these processes. */
    private static List<String> holders(SshHost host, String value) throws IOException {
        Secrets secrets = new Secrets(value);
        List<ProcessHandle> all = host.processes("");
        assertFalse(all.isEmpty());
        assertEquals(List.of(), secrets.filesIn(host.home()));
        assertEquals(List.of(), secrets.filesIn(host.tmp()));
        assertEquals(List.of(), secrets.inStart(all));
        return secrets.inMemory(all).stream()
                .map(process -> Processes.arguments(process).stream()
                        .filter(word -> word.startsWith("brig."))
                        .collect(Collectors.joining(" ")))
                .distinct()
                .toList();
    }

    @Test
    void shouldServeThereWithTheSecretInMemoryAlone() throws Exception {
        Spawned spawned = spawn(serving);
        String said = said(spawned, "echo $MINE; " + curl());
        assertTrue(said.startsWith("of home\nhello Bearer BRIG_SECRET_"), said);
        assertEquals(List.of("Bearer " + Outside.SECRET), List.copyOf(outside.authorizations));
        List<String> holders = holders(serving, Outside.SECRET);
        assertFalse(holders.isEmpty(), "this search finds it where it is");
        for (String holder : holders) {
            assertTrue(holder.contains("brig.workeragent.WorkerAgent") || holder.contains("EgressMain"), holder);
        }
        Secrets secrets = new Secrets(Outside.SECRET);
        assertEquals(List.of(), secrets.filesIn(site.product().folder()));

        // A new gateway finds the worker as it was, and brings what changed.
        site.product().kill();
        Files.write(outside.token(), (NEWER + "\n").getBytes(UTF_8));
        site.product().serve();
        Await.until("the session is in reach again", () -> Files.exists(spawned.socket()));
        Await.until("the host has the newer secret", () -> {
            said(spawned, curl());
            return outside.authorizations.contains("Bearer " + NEWER);
        });

        // Nothing is left of it with the worker-agent there.
        for (ProcessHandle agent : RemoteLinkTest.workerAgents(serving)) {
            agent.destroyForcibly();
            agent.onExit().get();
        }
        site.awaitUp();
        Await.until("nothing there has it", () -> holders(serving, NEWER).isEmpty());
        said = said(spawn(serving), curl());
        assertTrue(said.startsWith("hello Bearer BRIG_SECRET_"), said);
    }

    @Test
    void shouldKeepSecretAndRulesAtHomeWhereHomeServes() throws Exception {
        String said = said(spawn(served), "echo $MINE; " + curl());
        assertTrue(said.startsWith("of home\nhello Bearer BRIG_SECRET_"), said);
        assertEquals(List.of("Bearer " + Outside.SECRET), List.copyOf(outside.authorizations));
        assertEquals(List.of(), holders(served, Outside.SECRET));
    }

    @Test
    void shouldRefuseWhatHomeDoesNotHave() throws IOException {
        writePolicy("no host at all");
        for (SshHost host : List.of(served, serving)) {
            Run refused = site.product().brig("run", "--host", host.name(), "mine", "--", "true");
            assertTrue(refused.exitCode() != 0 && refused.err().contains("INVALID_POLICY"), refused::toString);
            refused = site.product().brig("run", "--host", host.name(), "none", "--", "true");
            assertTrue(refused.exitCode() != 0 && refused.err().contains("no agent profile"), refused::toString);
        }
    }
}
