package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.TestFolders;
import brig.workeragent.sandbox.HostBait;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions on a host that ssh reaches, through everything that people and programs use. */
@Timeout(300)
@Order(1)
@Tag("slow")
class RemoteHostTest {
    private static final String HOST = "build1";
    private static final int SPAWNS = 100;
    private static final int AT_ONCE = 12;
    private static final int ATTEMPTS_MIN = 160;
    private static final long KIT_SECONDS = 240;
    /** What the worker-agent has a part in, without those that wait for a minute: all of it passes too. */
    private static final String CHECKS =
            "order,welcome,same-frames,seam,frame-bound,done,cancel,terminate,end,ended,apart,cut,old,"
                    + "current,future,foreign,watcher,attach,http-unix,at-once,repeat";

    private static final int MEASURED = 15;
    private static final int BIG = 20_000_000;

    private static SshHost host;
    private static Path policies;
    private static RemoteSite site;

    @BeforeAll
    static void start() throws IOException {
        host = SshHost.start(HOST);
        policies = TestFolders.create("brig-policies-");
        site = RemoteSite.start(Map.of("worker", Map.of("policyDirs", List.of("", policies.toString()))), host);
        assertEquals(1, host.logins());
    }

    @AfterAll
    static void stop() throws IOException {
        if (site != null) {
            site.close();
        }
    }

    private static Run brig(String... arguments) throws IOException {
        Run run = site.product().brig(arguments);
        assertEquals(0, run.exitCode(), () -> List.of(arguments) + ": " + run);
        return run;
    }

    @Test
    void shouldRunThereWhatPeopleAskFor() throws Exception {
        assertEquals(
                "hello\n",
                brig("run", "--host", HOST, "--task-id", "one", "shell", "--", "echo hello")
                        .out());
        assertEquals(
                HOST,
                site.product().ask("{\"action\":\"status\",\"id\":\"one\"}").text("host"));
        brig("run", "--on", "far", "--task-id", "two", "shell", "--", "echo kept | tee file");
        assertEquals("kept\n", brig("logs", "two").out());
        Spawned spawned = idle("three");
        Files.createFile(RemoteSite.workspace(host, spawned).resolve("from-there"));
        assertEquals("from-there\n", brig("exec", "three", "--", "ls").out());
        assertEquals("kept\n", brig("attach", "two").out());
        assertTrue(brig("tree", "three").out().contains("shell"));
        assertTrue(brig("sessions").out().contains(HOST));
        Run nowhere = site.product().brig("run", "--on", "far,gpu", "shell", "--", "true");
        assertTrue(nowhere.exitCode() != 0 && nowhere.err().contains("gpu"), nowhere::toString);
    }

    private static Spawned idle(String taskId) throws IOException {
        return new Spawned(site.product(), site.ask(HOST, "shell", "", false, Map.of("task_id", taskId)));
    }

    @Test
    void shouldReachAServerInAWallThere() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/perl")), "perl is not here");
        Spawned serving = idle("serves");
        Files.copy(
                Path.of("src/e2e/resources/brig/gateway/e2e/server.pl"),
                RemoteSite.workspace(host, serving).resolve("server.pl"));
        try (Wire captain = serving.captain()) {
            captain.sendLine(Spawned.user("perl server.pl"));
            new Frames().readUntil(captain, frame -> frame.text("content", "").contains("up"));
            Web web = site.product().web();
            String port = "/api/v1/sessions/serves/ports/3000";
            assertEquals(BIG, web.get(port + "/big").response().body().length());
            assertEquals(
                    BIG + " bytes",
                    web.send(web.request(port + "/count").PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[BIG])))
                            .response()
                            .body());
        }
    }

    @Test
    void shouldAskHereWhatAnAgentThereWantsToKnow() throws IOException {
        Spawned asking = new Spawned(
                site.product(),
                site.ask(
                        HOST,
                        "",
                        "#scenario:ask:2",
                        false,
                        Map.of("agent_config", Map.of("name", "mock", "permissions", "ask"))));
        Await.until("both asks are listed", () -> asks(asking).size() == 2);
        assertTrue(
                brig("asks", asking.id()).out().contains(asks(asking).getFirst().text("ask_id")));
        brig("answer", asks(asking).getFirst().text("ask_id"), "allow");
        brig("answer", asks(asking).getFirst().text("ask_id"), "deny");
        try (Wire wire = asking.captain()) {
            Frames frames = new Frames().readUntilType(wire, "done");
            assertTrue(
                    frames.lines().stream().anyMatch(line -> line.contains("Answers: allow, deny")),
                    () -> String.join("\n", frames.lines()));
        }
    }

    private static List<JsonObject> asks(Spawned asking) throws IOException {
        return site.product()
                .web()
                .get("/api/v1/asks?tree=" + asking.id())
                .json()
                .objects("asks");
    }

    @Test
    void shouldSayOnThePageWhereASessionIs() throws IOException {
        Spawned shown = idle("shown");
        try (Chromium chromium = Chromium.start()) {
            Page page = chromium.open(shown, "");
            assertThat(page.getByText("shell on " + HOST).first()).isVisible();
            Chromium.shoot(page, "remote");
            assertEquals(List.of(), chromium.faults());
        }
    }

    @Test
    void shouldHoldEveryAttemptToEscapeThere() throws Exception {
        Path program = copied(HostBait.ESCAPE, host.home().resolve("escape"));
        Path bait = Files.createDirectory(host.tmp().resolve("bait"));
        Files.writeString(policies.resolve("webbed.json"), """
                {"description": "Reaches one host", "mounts": {"/workspace": {"hostPath": ".", "readonly": false}},
                 "environment": ["PATH", "HOME"], "privateFiles": [], "egress": {"allowedHosts": ["example.com"]}}
                """);
        site.product().addProfile("webbed", "shell", Map.of("policy", "webbed"));
        Run added = site.product()
                .brig(
                        "host",
                        "add",
                        "there",
                        HOST,
                        "--egress",
                        "there",
                        "--",
                        "-F",
                        host.config().file().toString());
        assertEquals(0, added.exitCode(), added::toString);
        List<String> there = host.config().command(List.of());
        try (HostBait bound =
                new HostBait(bait, Path.of("/tmp/bait"), there, "/home/" + HOST + "/" + program.getFileName())) {
            for (String agent : List.of("shell", "webbed")) {
                Spawned walled = new Spawned(
                        site.product(), site.ask(agent.equals("webbed") ? "there" : HOST, agent, "", false, Map.of()));
                copied(HostBait.ESCAPE, RemoteSite.workspace(host, walled).resolve("escape"));
                String attempts = String.join(" ", bound.attempts("exec ./escape", true))
                        + (agent.equals("webbed") ? " egress=yes" : "");
                List<String> lines = said(walled, attempts).lines().toList();
                assertTrue(lines.size() >= ATTEMPTS_MIN, lines::toString);
                assertEquals(
                        List.of(),
                        lines.stream()
                                .filter(line -> line.split(" ", 3)[1].equals("escaped"))
                                .toList());
                said(walled, "./escape stay 1003.75");
                site.product().ask("{\"action\":\"terminate\",\"id\":\"" + walled.id() + "\"}");
                Await.until(
                        "nothing is left behind",
                        () -> host.running().stream().noneMatch(line -> line.contains("1003.75")));
                System.out.println(
                        "escape suite, wall of " + agent + " on a remote host: " + lines.size() + " attempts");
            }
        }
    }

    private static Path copied(Path program, Path target) throws IOException {
        Files.copy(program, target);
        return Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("r-xr-xr-x"));
    }

    private static String said(Spawned spawned, String command) throws IOException {
        try (Wire captain = spawned.captain()) {
            captain.sendLine(Spawned.user(command));
            return new Frames().readUntilType(captain, "done").text();
        }
    }

    @Test
    void shouldKeepTheProtocol() throws IOException {
        long start = System.nanoTime();
        Run kit = site.product()
                .program(
                        KIT_SECONDS,
                        "conformance",
                        site.product().url(),
                        "--token",
                        site.product().adminToken(),
                        "--host",
                        HOST,
                        "--only",
                        CHECKS);
        assertEquals(0, kit.exitCode(), kit::toString);
        System.out.println(kit.out().lines().toList().getLast() + ", conformance on a remote host, "
                + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    @Test
    void shouldLogInOnceHoweverManySessionsThereAre() throws Exception {
        Set<String> said = new HashSet<>();
        long logins = host.logins();
        long start = System.nanoTime();
        try (ExecutorService asking = Executors.newFixedThreadPool(AT_ONCE)) {
            CountDownLatch go = new CountDownLatch(AT_ONCE);
            List<Future<String>> runs = new ArrayList<>();
            for (int i = 0; i < SPAWNS; i++) {
                int number = i;
                runs.add(asking.submit(() -> {
                    go.countDown();
                    go.await();
                    try (Wire watcher = site.shell(host, "echo " + number).attach("watcher")) {
                        return new Frames().readAll(watcher).text();
                    }
                }));
            }
            for (Future<String> run : runs) {
                said.add(run.get());
            }
        }
        assertEquals(SPAWNS, said.size());
        assertEquals(logins, host.logins());
        System.out.println("remote host: " + SPAWNS + " spawns, " + AT_ONCE + " at once, one login, "
                + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    @Test
    void shouldSpawnThereAlmostAsFastAsHere() throws IOException {
        long[] here = new long[MEASURED];
        long[] there = new long[MEASURED];
        for (int i = 0; i < MEASURED; i++) {
            long start = System.nanoTime();
            site.product().shell("true");
            here[i] = System.nanoTime() - start;
            start = System.nanoTime();
            site.shell(host, "true");
            there[i] = System.nanoTime() - start;
        }
        Arrays.sort(here);
        Arrays.sort(there);
        System.out.println("spawn until it is answered, median of " + MEASURED + ": here "
                + here[MEASURED / 2] / 1_000_000 + " ms, there " + there[MEASURED / 2] / 1_000_000 + " ms");
    }
}
