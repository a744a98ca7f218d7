package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.gateway.e2e.provider.FakeSandbox;
import brig.gateway.e2e.provider.Fault;
import brig.gateway.e2e.provider.Operation;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions in sandboxes of a provider: as on this host for who starts them, and nothing is left of them. */
class SandboxedSessionTest {
    private static final String ASKS =
            "exec 2>&1; curl -sS \"$ANTHROPIC_BASE_URL/v1/messages\" -H \"x-api-key: $ANTHROPIC_API_KEY\" -H 'anthropic-version: 2023-06-01'"
                    + " -H 'content-type: application/json'"
                    + " -d '{\"model\":\"m\",\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}'";
    private static final String[] CLOUD = {"--provider", "cloud"};

    private static String only(SandboxSite site) {
        List<String> alive = site.provider().alive();
        assertEquals(1, alive.size(), alive::toString);
        return alive.getFirst();
    }

    private static JsonObject session(SandboxSite site) throws IOException {
        return site.product().ask("{\"action\":\"list\"}").objects("spawns").getFirst();
    }

    private static void awaitState(SandboxSite site, String state) throws IOException {
        Await.until("it is " + state, () -> session(site).text("state", "").equals(state));
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    void shouldRunInASandboxAndBringItsChangesHome(SandboxSite.Kind kind) throws Exception {
        try (SandboxSite site = SandboxSite.start(kind)) {
            site.provider().plant("somebody-elses");
            Path repository = Repositories.make(site.product(), "shop");
            Run run = site.product()
                    .brig(
                            "run",
                            "shell",
                            CLOUD[0],
                            CLOUD[1],
                            "-r",
                            repository.toString(),
                            "--",
                            "echo hi; echo more >>README; cat README");
            assertEquals(0, run.exitCode(), run::err);
            assertTrue(run.out().startsWith("hi\nfirst\nmore\n"), run::out);
            site.awaitNoSandbox();
            String id = session(site).text("spawn_id", "");
            Run diff = site.product().brig("diff", id);
            assertTrue(diff.out().contains("+more"), () -> diff.out() + diff.err());
            Run applied = site.product().brig("apply", id);
            assertEquals(0, applied.exitCode(), applied::err);
            assertEquals("first\nmore\n", Files.readString(repository.resolve("README")));
            assertEquals(0, site.provider().touchesOfForeign());
            assertEquals(
                    1,
                    site.provider().creates("spawn_id=" + id) + site.provider().creates("brig.spawn_id=" + id));
        }
    }

    @Test
    @Tag("slow")
    void shouldLoseNoLineWhileTheLinkIsCutFiveTimesASecond() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            site.provider().faults().cutEvery(Operation.DIAL, 200, 8_192);
            Run run = site.product()
                    .brig(
                            "run",
                            "shell",
                            CLOUD[0],
                            CLOUD[1],
                            "--",
                            "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.3; done; true");
            assertEquals(0, run.exitCode(), run::err);
            assertEquals(
                    IntStream.range(0, 2000).mapToObj(i -> "line " + i).toList(),
                    run.out().lines().toList());
            assertTrue(site.provider().requests(Operation.DIAL) > 5, "it was cut");
            site.awaitNoSandbox();
        }
    }

    @Test
    @Tag("slow")
    void shouldGoOnUnderTheNextGateway() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Product product = site.product();
            Run begun = product.brig("spawn", "shell", CLOUD[0], CLOUD[1], "--task-id", "long");
            assertEquals(0, begun.exitCode(), begun::err);
            awaitState(site, "running");
            product.kill();
            product.serve();
            awaitState(site, "running");
            terminate(product, "long");
            site.awaitNoSandbox();
        }
    }

    /** Scenario: the gateway is killed when the session has ended and its changes are not here yet. */
    @Test
    @Tag("slow")
    void shouldBringChangesHomeUnderTheNextGateway() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Product product = site.product();
            beginToChange(product);
            signal(product, "STOP");
            terminate(product, "kept");
            awaitState(site, "terminated");
            product.kill();
            signal(product, "CONT");
            product.serve();
            site.awaitNoSandbox();
            Run diff = product.brig("diff", "kept");
            assertTrue(diff.out().contains("+more"), () -> diff.out() + diff.err());
        }
    }

    /** Stops this host's worker-agent, which keeps what is brought home, or lets it go on. */
    private static void signal(Product product, String name) throws IOException {
        for (ProcessHandle one : product.workerAgents()) {
            Run sent = Run.of(List.of("kill", "-" + name, "" + one.pid()), "", product.folder());
            assertEquals(0, sent.exitCode(), sent::err);
        }
    }

    /** Scenario: a worker-agent, its worker and the link to them stand still, and go on where they were. */
    @Test
    @Tag("slow")
    void shouldStandStillWhilePausedAndGoOn() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.OPENSANDBOX)) {
            Product product = site.product();
            Run begun = product.brig(
                    "spawn",
                    "shell",
                    CLOUD[0],
                    CLOUD[1],
                    "--task-id",
                    "still",
                    "--",
                    "i=0; while :; do echo $i; i=$((i+1)); sleep 0.1; done");
            assertEquals(0, begun.exitCode(), begun::err);
            Await.until("it writes", () -> session(site).number("last_seq", 0) > 3);
            Run paused = product.brig("pause", "still");
            assertEquals(0, paused.exitCode(), paused::err);
            awaitState(site, "unreachable");
            long seq = session(site).number("last_seq", 0);
            Run costs = product.brig("costs");
            assertTrue(costs.out().contains("paused"), costs::out);
            Run resumed = product.brig("resume", "still");
            assertEquals(0, resumed.exitCode(), resumed::err);
            awaitState(site, "running");
            Await.until("it goes on", () -> session(site).number("last_seq", 0) > seq + 3);
            List<String> said = product.brig("logs", "still").out().lines().toList();
            assertEquals(
                    IntStream.range(0, said.size()).mapToObj(String::valueOf).toList(), said);
            Run again = product.brig("pause", "still");
            assertEquals(0, again.exitCode(), again::err);
            Run ended = product.brig("terminate", "still");
            assertEquals(0, ended.exitCode(), ended::err);
            site.awaitNoSandbox();
        }
    }

    @Test
    @Tag("slow")
    void shouldBringChangesHomeOfAPausedSession() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.OPENSANDBOX)) {
            Product product = site.product();
            beginToChange(product);
            Run paused = product.brig("pause", "kept");
            assertEquals(0, paused.exitCode(), paused::err);
            awaitState(site, "unreachable");
            terminate(product, "kept");
            site.awaitNoSandbox();
            assertEquals("terminated", session(site).text("state", ""));
            Run diff = product.brig("diff", "kept");
            assertTrue(diff.out().contains("+more"), () -> diff.out() + diff.err());
        }
    }

    /** A session that has changed its worktree. */
    private static void beginToChange(Product product) throws Exception {
        Path repository = Repositories.make(product, "shop");
        Run begun = product.brig(
                "spawn",
                "shell",
                CLOUD[0],
                CLOUD[1],
                "-r",
                repository.toString(),
                "--task-id",
                "kept",
                "--",
                "echo more >>README");
        assertEquals(0, begun.exitCode(), begun::err);
        Await.until("it has changed", () -> product.brig("diff", "kept").out().contains("+more"));
    }

    @Test
    @Tag("slow")
    void shouldKeepCheckpointsThereAndRefuseToPause() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Product product = site.product();
            Path repository = Repositories.make(product, "shop");
            Spawned spawned = new Spawned(
                    product,
                    product.ask(
                            "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},\"provider\":\"cloud\",\"task_id\":\"kept\","
                                    + "\"workspace_mode\":\"worktree\",\"repository\":\"" + repository + "\"}"));
            awaitState(site, "running");
            try (Wire captain = spawned.captain()) {
                Frames frames = new Frames();
                captain.sendLine(Spawned.user("echo one >file"));
                frames.readUntilType(captain, "done");
                Run taken = product.brig("checkpoint", "kept");
                assertEquals(0, taken.exitCode(), taken::err);
                captain.sendLine(Spawned.user("echo two >file"));
                frames.readUntilType(captain, "done");
                Run restored = product.brig("restore", "kept");
                assertEquals(0, restored.exitCode(), restored::err);
                captain.sendLine(Spawned.user("cat file"));
                assertEquals("one\n", frames.readUntilType(captain, "done").text());
            }
            Run refused = product.brig("pause", "kept");
            assertTrue(
                    refused.err().contains("PROVIDER_REFUSED") && refused.err().contains("the capability 'pause'"),
                    refused::err);
            Run beside = product.brig("exec", "kept", "--", "ls");
            assertTrue(beside.err().contains("is that session's alone"), beside::err);
            terminate(product, "kept");
            site.awaitNoSandbox();
        }
    }

    @Test
    @Tag("slow")
    void shouldAskItsModelThroughThisHostWithoutItsKey() throws Exception {
        Product.requireRoot("to read the memory of another user's processes");
        assumeTrue(ScriptedModel.isHere(), "node is not here");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "curl is not here");
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Product product = site.product();
            Path log = product.folder().resolve("model.log");
            try (ScriptedModel model = new ScriptedModel(log)) {
                FarAgents.route(product, "claude", model);
                product.addProfile(
                        "asker",
                        "shell",
                        Map.of(
                                "policy", "claude",
                                "models", List.of("claude"),
                                "env",
                                        Map.of(
                                                "ANTHROPIC_BASE_URL",
                                                "{models.claude}",
                                                "ANTHROPIC_API_KEY",
                                                "placeholder")));
                Spawned spawned = new Spawned(
                        product,
                        product.ask(
                                "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"asker\"},\"provider\":\"cloud\",\"task_id\":\"asks\"}"));
                awaitState(site, "running");
                try (Wire captain = spawned.captain()) {
                    captain.sendLine(Spawned.user(ASKS));
                    String answer = new Frames().readUntilType(captain, "done").text();
                    assertTrue(answer.contains("\"type\":\"message\""), answer);
                }
                assertTrue(FarAgents.wasAsked(log, FarAgents.KEY), "the model was given the key");
                FakeSandbox wall = site.provider().wall(only(site));
                Secrets secrets = new Secrets(FarAgents.KEY);
                List<ProcessHandle> there =
                        ProcessHandle.of(wall.pid()).orElseThrow().descendants().toList();
                assertFalse(there.isEmpty());
                assertEquals(List.of(), secrets.filesIn(wall.homeHere()));
                assertEquals(List.of(), secrets.inStart(there));
                assertEquals(List.of(), secrets.inMemory(there));
                terminate(product, "asks");
                site.awaitNoSandbox();
            }
        }
    }

    @Test
    @Tag("slow")
    void shouldSayThatItIsLostWhenTheSandboxIs() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Product product = site.product();
            Run begun = product.brig("spawn", "shell", CLOUD[0], CLOUD[1], "--task-id", "lost");
            assertEquals(0, begun.exitCode(), begun::err);
            awaitState(site, "running");
            site.provider().lose(only(site));
            awaitState(site, "terminated");
            assertTrue(session(site).text("last_error", "").startsWith("WORKER_LOST"), session(site)::toString);
        }
    }

    @Test
    void shouldMakeOneSandboxWhenTheAnswerIsLostAndListItsCosts() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            site.provider().faults().next(Operation.CREATE, Fault.RATE_LIMITED, Fault.LOST_AFTER);
            Run begun = site.product().brig("spawn", "shell", CLOUD[0], CLOUD[1], "--task-id", "one");
            assertEquals(0, begun.exitCode(), begun::err);
            awaitState(site, "running");
            String id = session(site).text("spawn_id", "");
            assertEquals(1, site.provider().creates("spawn_id=" + id));
            Run costs = site.product().brig("costs");
            assertTrue(costs.out().contains(only(site)) && costs.out().contains(id), costs::out);
            assertTrue(costs.out().contains("0.5000"), costs::out);
            terminate(site.product(), "one");
            site.awaitNoSandbox();
        }
    }

    @Test
    @Tag("slow")
    void shouldFailWithWhatTheProviderSays() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            site.provider().faults().always(Operation.CREATE, Fault.TOKEN_EXPIRED);
            Run refused = site.product().brig("run", "shell", CLOUD[0], CLOUD[1], "--", "true");
            assertEquals(125, refused.exitCode());
            assertTrue(
                    refused.err().contains("PROVIDER_REFUSED") && refused.err().contains("401"), refused::err);
            assertFalse(refused.err().contains(brig.gateway.e2e.provider.FakeProvider.TOKEN));
            site.provider().faults().always(Operation.CREATE, Fault.REDIRECTED);
            Run redirected = site.product().brig("run", "shell", CLOUD[0], CLOUD[1], "--", "true");
            assertTrue(redirected.err().contains("UNTRUSTED_ENDPOINT"), redirected::err);
            assertEquals(List.of(), site.provider().alive());
        }
    }

    @Test
    @Tag("slow")
    void shouldRefuseWhatNoProviderCanDo() throws Exception {
        try (SandboxSite site = SandboxSite.start(SandboxSite.Kind.SPRITES)) {
            Run unknown = site.product().brig("run", "shell", "--provider", "moon", "--", "true");
            assertTrue(
                    unknown.err().contains("there is local, cloud. 'providers' of brig.json adds one"), unknown::err);
            Run both = site.product().brig("run", "shell", CLOUD[0], CLOUD[1], "--on", "gpu", "--", "true");
            assertTrue(both.err().contains("no host, on or tunnel goes with it"), both::err);
            assertEquals(0, site.provider().requests(Operation.CREATE));
        }
    }

    private static void terminate(Product product, String name) throws IOException {
        Run terminated = product.brig("terminate", name);
        assertEquals(0, terminated.exitCode(), terminated.err());
    }
}
