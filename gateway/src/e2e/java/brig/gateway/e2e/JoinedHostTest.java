package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions on a host whose sshd forwards no sockets: one program there carries all connections. */
@Timeout(300)
@Tag("slow")
class JoinedHostTest {
    private static final String HOST = "build1";
    /** More than a login of sshd has sessions. */
    private static final int AT_ONCE = 24;

    private static final long FLOOD = 40_000_000;

    private static Outside outside;
    private static SshHost host;
    private static RemoteSite site;

    @BeforeAll
    static void start() throws IOException {
        host = SshHost.start(HOST);
        host.settings("AllowStreamLocalForwarding no");
        outside = new Outside();
        outside.writePolicy("web", 0);
        site = RemoteSite.start(outside.settings("web"), host);
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

    private static Spawned shell(Map<String, ?> more) throws IOException {
        return new Spawned(site.product(), site.ask(HOST, "shell", "", false, more));
    }

    private static void end(Spawned spawned) throws IOException {
        site.product().ask("{\"action\":\"terminate\",\"id\":\"" + spawned.id() + "\"}");
    }

    private static String said(Spawned spawned, String command) throws IOException {
        try (Wire captain = spawned.captain()) {
            captain.sendLine(Spawned.user(command));
            return new Frames().readUntilType(captain, "done").text();
        }
    }

    /** Those that carry connections. */
    private static List<ProcessHandle> programs() {
        return host.processes("/home/" + HOST + "/.brig/versions/").stream()
                .filter(one -> Processes.arguments(one).getFirst().endsWith("/brig-join"))
                .toList();
    }

    @Test
    void shouldHoldManySessionsAtOnceBesideOneThatIsNotRead() throws IOException {
        long logins = host.logins();
        assertTrue(String.valueOf(site.view(HOST).text("reason")).contains("forbids the forwarding of sockets"));
        Spawned stalled = shell(Map.of());
        try (Wire unread = stalled.captain()) {
            unread.sendLine(Spawned.user("head -c " + FLOOD + " /dev/zero | tr '\\0' 0; echo last"));
            Await.until(
                    "its agent waits for its reader",
                    () -> Boolean.TRUE.equals(stalled.view().value("throttled")));
            List<Spawned> all = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                all.add(shell(Map.of()));
            }
            for (Spawned spawned : all) {
                assertEquals("42\n", said(spawned, "echo $((20 + 22))"));
            }
            for (Spawned spawned : all) {
                end(spawned);
            }
            assertTrue(new Frames().readUntilType(unread, "done").text().endsWith("0last\n"));
        }
        end(stalled);
        assertEquals(logins, host.logins());
    }

    @Test
    void shouldServeTheNetworkOfItsSessionsAtHome() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/curl")), "curl is not here");
        Path settings = host.home().resolve(".config/brig");
        Files.createDirectories(settings.resolve("policies"));
        Files.createDirectories(settings.resolve("agents"));
        Files.copy(outside.policy("web"), settings.resolve("policies/web.json"));
        Path shell = host.home()
                .resolve(".brig/versions")
                .resolve(Payloads.version())
                .resolve("config/agents/shell.json");
        Map<String, Object> webbed = new LinkedHashMap<>(Json.parseCommented(Files.readString(shell)));
        webbed.put("policy", "web");
        // A profile is there for what starts there, and at home for what its network may do.
        for (Path agents : List.of(settings.resolve("agents"), site.product().agents())) {
            Files.write(agents.resolve("webbed.json"), Json.write(webbed));
        }
        Spawned spawned = new Spawned(site.product(), site.ask(HOST, "webbed", "", false, Map.of()));
        String page = "http://" + outside.at("late.test") + "/page";
        try (Wire captain = spawned.captain()) {
            captain.sendLine(Spawned.user("curl -sS " + page));
            Frames frames = new Frames().readUntilType(captain, "done");
            assertTrue(frames.text().contains("brig egress allow"), frames::text);
            Run allowed = site.product().brig("egress", "allow", spawned.id(), outside.at("late.test"));
            assertEquals(0, allowed.exitCode(), allowed::err);
            captain.sendLine(Spawned.user("for i in $(seq " + AT_ONCE + "); do curl -sS --max-time 60 "
                    + "-H \"Authorization: $TOKEN\" " + page + " >$i & done; wait; cat $(seq " + AT_ONCE + ")"));
            String answers = frames.readUntilType(captain, "done").text();
            assertEquals(
                    AT_ONCE,
                    answers.lines()
                            .filter(line -> line.startsWith("hello BRIG_"))
                            .count(),
                    answers);
        }
        assertTrue(outside.authorizations.contains(Outside.SECRET));
        end(spawned);
    }

    @Test
    void shouldGoOnWithItsSessionsWhenThatProgramIsKilled() throws IOException {
        Spawned spawned = shell(Map.of());
        try (Wire captain = spawned.captain()) {
            captain.sendLine(Spawned.user("echo before"));
            Frames frames = new Frames().readUntilType(captain, "done");
            List<ProcessHandle> programs = programs();
            assertEquals(1, programs.size());
            programs.forEach(ProcessHandle::destroyForcibly);
            Await.until("another one runs", () -> programs().stream().anyMatch(one -> !programs.contains(one)));
            site.awaitUp();
            captain.sendLine(Spawned.user("echo after"));
            assertEquals(
                    "before\nafter\n", frames.readUntilType(captain, "done").text());
        }
        end(spawned);
    }
}
