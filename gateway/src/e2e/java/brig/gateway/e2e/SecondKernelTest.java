package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions behind a second kernel, and hosts without one. */
@Timeout(300)
@Order(1)
@ParameterizedClass
@EnumSource(value = WallKind.class, mode = EnumSource.Mode.EXCLUDE, names = "BWRAP")
@Tag("slow")
class SecondKernelTest {
    private static @Nullable Product product;
    private static @Nullable ScriptedModel model;
    private static Path asked;

    @Parameter
    WallKind kind;

    @BeforeParameterizedClassInvocation
    static void start(WallKind kind) throws IOException {
        if (SecondKernels.areHere(kind)) {
            product = FarAgents.prepare();
            SecondKernels.giveTo(product);
            demand(product, kind);
            asked = product.folder().resolve("model.log");
            if (ScriptedModel.isHere()) {
                model = new ScriptedModel(asked);
            }
            product.with("NODE_PATH=" + RealAgents.places()).serve();
        }
    }

    /** Has a profile and a policy that want such a wall. */
    private static void demand(Product product, WallKind kind) throws IOException {
        Path policies = Files.createDirectory(product.folder().resolve("policies"));
        String given = Files.readString(product.config());
        Files.writeString(
                product.config(),
                given.replace(
                        "\"workspaceBases\"",
                        "\"policyDirs\":[\"\",\"" + policies + "\"],\"policies\":[\"strong\"],\"workspaceBases\""));
        Map<String, Object> strong = new LinkedHashMap<>(Json.parseCommented(
                Files.readString(Path.of(Product.BRIG).resolveSibling("../config/policies/build.json"))));
        strong.put("wall", "min:" + kind.word());
        Files.write(policies.resolve("strong.json"), Json.write(strong));
        product.addProfile("strong-shell", "shell", Map.of("wall", kind.word()));
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        if (product != null) {
            product.close();
            product = null;
        }
        if (model != null) {
            model.close();
            model = null;
        }
    }

    private Spawned spawn(String agent, String prompt) throws IOException {
        assumeTrue(product != null, "the build found no gVisor, or no QEMU and kernel");
        Map<String, Object> config = new LinkedHashMap<>(Map.of("name", agent));
        if (agent.equals("codex")) {
            config.put("model", "scripted");
        }
        return new Spawned(
                product,
                product.ask(text(Map.of(
                        "action",
                        "spawn",
                        "agent_config",
                        config,
                        "prompt",
                        prompt,
                        "once",
                        true,
                        "wall",
                        "min:" + kind.word()))));
    }

    private static JsonObject ask(String agent, Map<String, ?> more) throws IOException {
        assumeTrue(product != null, "the build found no gVisor, or no QEMU and kernel");
        Map<String, Object> request =
                new LinkedHashMap<>(Map.of("action", "spawn", "agent_config", Map.of("name", agent)));
        request.putAll(more);
        return product.ask(text(request));
    }

    private List<ProcessHandle> secondKernels() {
        return product.workerAgents().stream()
                .flatMap(agent -> SecondKernels.below(agent, kind).stream())
                .toList();
    }

    private static String text(Map<String, ?> request) {
        return new String(Json.write(request), StandardCharsets.UTF_8);
    }

    @Test
    void shouldRunBehindAnotherKernelAndLeaveNothing() throws IOException {
        Spawned session = spawn("shell", "cat /proc/version; id -u; echo made > file; exit 3");
        Frames frames = new Frames();
        try (Wire wire = session.captain()) {
            frames.readAll(wire);
        }
        assertTrue(frames.text().startsWith("Linux version "), frames::text);
        assertFalse(frames.text().startsWith(Files.readString(Path.of("/proc/version"))), frames::text);
        assertTrue(frames.text().contains("\n1000\n"), frames::text);
        assertEquals(3, frames.ofType("done").getFirst().number("exit_code", -1));
        assertEquals("made\n", Files.readString(session.workspace().resolve("file")));
        JsonObject posture = session.view().object("posture");
        assertEquals(kind.word(), posture.text("wall"));
        List<String> names = posture.objects("properties").stream()
                .map(property -> property.text("name"))
                .toList();
        assertTrue(names.containsAll(List.of("own-network", "second-kernel/other-kernel")), names::toString);
        Await.until("no second kernel is left", () -> secondKernels().isEmpty());
    }

    @Test
    void shouldEndAtASignalAndAtAKill() throws IOException {
        Spawned session = spawn("shell", "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.1; done");
        Frames frames = new Frames();
        try (Wire wire = session.captain()) {
            frames.readUntil(wire, frame -> frames.text().contains("up\n"));
            assertFalse(secondKernels().isEmpty());
            product.brig("terminate", session.id());
            frames.readAll(wire);
        }
        assertEquals("up\nbye\n", frames.text());
        // Process 1 of a machine's namespace is safe from the worker, that of gVisor is not.
        Spawned killed = spawn("shell", "echo up; kill -9 1; kill -9 $$; sleep 100");
        Frames last = new Frames();
        try (Wire wire = killed.captain()) {
            last.readAll(wire);
        }
        assertEquals("SIGKILL", last.ofType("done").getFirst().text("signal"));
    }

    @Test
    void shouldHonourWhatAProfileAndAPolicyDemand() throws IOException {
        List<JsonObject> answers = List.of(
                ask("strong-shell", Map.of()),
                ask("shell", Map.of("policy", "strong")),
                ask("strong-shell", Map.of("policy", "strong", "wall", "min:bwrap")));
        for (JsonObject answer : answers) {
            Spawned session = new Spawned(product, answer);
            assertEquals(kind.word(), session.view().object("posture").text("wall"));
            assertEquals(0, product.brig("terminate", session.id()).exitCode());
        }
        List<JsonObject> refusals = List.of(
                ask("strong-shell", Map.of("wall", "bwrap")),
                ask("shell", Map.of("policy", "strong", "wall", "bwrap")));
        for (JsonObject refused : refusals) {
            assertEquals("FORBIDDEN", refused.text("code"), refused::toString);
            assertTrue(
                    refused.text("error").contains(kind.word() + " and bwrap exclude each other")
                            || refused.text("error").contains(kind.word() + " exclude each other"),
                    refused::toString);
        }
    }

    @Test
    void shouldRefuseATerminalByNameWhereTheKernelHasNone() throws IOException {
        assumeTrue(kind == WallKind.GVISOR, "a machine has terminals");
        for (Map<String, ?> demand : List.of(Map.of("wall", "gvisor"), Map.of("policy", "strong"))) {
            Map<String, Object> request = new LinkedHashMap<>(demand);
            request.put("tty", Map.of("cols", 80, "rows", 24));
            JsonObject refused = ask("shell", request);
            assertEquals("WALL_UNAVAILABLE", refused.text("code"), refused::toString);
            assertTrue(
                    refused.text("error").contains("no terminals")
                            && refused.text("error").contains("--wall bwrap"),
                    refused::toString);
        }
    }

    /** Its wall has mounts below the workspace: what no agent may change, and what none may see. */
    @Test
    void shouldWorkInARepositoryWithPrivateFiles() throws IOException {
        assumeTrue(product != null, "the build found no gVisor, or no QEMU and kernel");
        Path folder = Files.createDirectories(product.workspaces().resolve("repository-" + kind.word()));
        Run made = Run.of(
                List.of(
                        "sh",
                        "-c",
                        "cd '" + folder + "' && git init -q . && echo secret > .env && echo one > a.txt"
                                + (Product.isRoot() ? " && chown -R 59617:59617 ." : "")),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        Run run = product.brig(
                "run",
                "--wall",
                kind.word(),
                "--workspace",
                folder.toString(),
                "shell",
                "git add a.txt; git status --short a.txt; cat .env; echo >> .git/config; mv .git other; echo two >> a.txt");
        assertTrue(run.out().startsWith("A  a.txt\n"), () -> run.out() + run.err());
        assertFalse((run.out() + run.err()).contains("secret"), () -> run.out() + run.err());
        assertEquals("one\ntwo\n", Files.readString(folder.resolve("a.txt")));
        assertTrue(Files.readString(folder.resolve(".git/config")).endsWith("true\n"), "it has a line more");
        assertTrue(Files.isDirectory(folder.resolve(".git")) && Files.notExists(folder.resolve("other")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode"})
    void shouldRunTheRealAgents(String agent) throws IOException {
        assumeTrue(model != null, "no node");
        assumeTrue(
                kind == WallKind.GVISOR || !agent.equals("opencode"),
                "without KVM it is silent for longer than tests wait");
        RealAgents.require(agent);
        FarAgents.route(product, agent, model);
        Spawned session = spawn(agent, "#scenario:text:3");
        Frames frames = new Frames();
        try (Wire wire = session.captain()) {
            frames.readAll(wire);
        }
        String all = String.join("\n", frames.lines());
        assertEquals(0, frames.ofType("done").getFirst().number("exit_code", -1), all);
        assertEquals(kind.word(), session.view().object("posture").text("wall"));
        String log = Files.readString(asked);
        assertTrue(log.contains(FarAgents.KEY), "the key of outside reached the model");
        assertTrue(!all.contains(FarAgents.KEY), "and nobody else");
    }

    @Test
    void shouldRefuseAWeakerWallWhenTheHostHasNone() throws IOException {
        String setting = kind == WallKind.GVISOR ? "worker.runsc" : "worker.vm.qemu";
        Map<String, Object> nothing = Map.of("runsc", "/none/runsc", "vm", Map.of("qemu", "/none/qemu"));
        try (Product without = Product.start(Map.of("worker", nothing))) {
            for (String wall : List.of(kind.word(), "min:" + kind.word())) {
                JsonObject refused = without.ask(text(Map.of(
                        "action",
                        "spawn",
                        "agent_config",
                        Map.of("name", "shell"),
                        "prompt",
                        "echo no",
                        "wall",
                        wall)));
                assertEquals("WALL_UNAVAILABLE", refused.text("code"), refused::toString);
                assertTrue(refused.text("error", "").contains(setting), refused::toString);
            }
            Run run = without.brig("run", "--wall", kind.word(), "shell", "echo no");
            assertTrue(run.err().contains("install"), run::err);
            assertEquals("", run.out());
            Run usual = without.brig("run", "--wall", "min:bwrap", "shell", "echo yes");
            assertEquals("yes\n", usual.out(), usual::err);
            Run doctor = without.brig("doctor");
            assertTrue(doctor.out().contains("--wall " + kind.word() + " is refused"), doctor::out);
        }
    }
}
