package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.FarAgents.Call;
import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import brig.workeragent.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real Claude Code on a host that ssh reaches, whose network is at home, where its model's key stays. */
@Timeout(300)
@Order(3)
class RemoteClaudeTest {
    private static final String NAME = "build1";

    private Path log;
    private ScriptedModel model;
    private SshHost host;
    private Product product;

    @BeforeEach
    void start() throws IOException {
        RealAgents.require("claude");
        Product.requireRoot("to read the memory of another user's processes");
        host = SshHost.start(NAME);
        Payloads.unpackOn(host);
        FarAgents.installOn(host);
        log = TestFolders.create("brig-model-").resolve("log");
        model = new ScriptedModel(log);
        product = FarAgents.prepare();
        Payloads.keepFor(product);
        product.serve();
        FarAgents.route(product, "claude", model);
        brig(
                "host",
                "add",
                NAME,
                NAME,
                "--egress",
                "home",
                "--",
                "-F",
                host.config().file().toString());
    }

    @AfterEach
    void stop() throws IOException {
        if (product != null) {
            product.close();
        }
        if (model != null) {
            model.close();
            TestFolders.delete(log.getParent());
        }
        if (host != null) {
            host.close();
        }
    }

    private String brig(String... arguments) throws IOException {
        Run run = product.brig(arguments);
        assertEquals(0, run.exitCode(), () -> run.err() + run.out());
        return run.out();
    }

    private Path repository() throws IOException {
        Path repository = Files.createDirectory(product.folder().resolve("shop"));
        Files.writeString(repository.resolve("price.txt"), "one\n");
        Run made = Run.of(
                List.of(
                        "sh",
                        "-c",
                        "cd \"$0\" && git init -q -b main && git add . && git -c user.name=a -c user.email=a@b.c commit -qm first && chown -R 4711:4711 .",
                        repository.toString()),
                "",
                product.folder());
        assertEquals(0, made.exitCode(), made::err);
        brig("repository", "add", repository.toString());
        return repository;
    }

    @Test
    void shouldWorkThereOnARepositoryOfHereWithoutTheKey() throws Exception {
        Path repository = repository();
        Map<String, String> file = Map.of("file_path", "/workspace/price.txt");
        String prompt = FarAgents.calls(
                new Call("Read", file),
                new Call("Edit", Map.of("file_path", "/workspace/price.txt", "old_string", "one", "new_string", "two")),
                new Call("Bash", Map.of("command", "grep -c two price.txt; hostname; id -un", "description", "test")));
        String said =
                brig("run", "claude", "--host", NAME, "-r", repository.toString(), "--task-id", "fix", "--", prompt);
        assertTrue(said.contains("Called."), said);
        assertTrue(FarAgents.wasAsked(log, "1\\n"), "the model was told what the command printed");
        assertTrue(brig("diff", "fix").contains("+two"));
        brig("apply", "fix");
        assertEquals("two\n", Files.readString(repository.resolve("price.txt")));
    }

    @Test
    void shouldGoOnAfterTheGatewayWasKilledInTheMiddle() throws Exception {
        Spawned spawned = new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"host\":\"" + NAME
                        + "\",\"agent_config\":{\"name\":\"claude\"},\"prompt\":\"#scenario:slow:40:100\"}"));
        Frames frames = new Frames();
        try (Wire wire = spawned.captain()) {
            frames.readUntil(wire, frame -> frame.toString().contains("tok5"));
        }
        product.kill();
        product.serve();
        Await.until("the session is in reach again", () -> Files.exists(spawned.socket()));
        try (Wire wire = spawned.captain(frames.next())) {
            JsonObject first = frames.readUntilType(wire, "done").last();
            assertEquals(0, first.number("exit_code", -1), () -> String.join("\n", frames.lines()));
            wire.sendLine(Spawned.user("#scenario:text:3"));
            JsonObject done = frames.readUntilType(wire, "done").last();
            assertEquals(0, done.number("exit_code", -1), () -> String.join("\n", frames.lines()));
        }
        assertKeyIsAtHomeAlone();
    }

    private void assertKeyIsAtHomeAlone() throws IOException {
        Secrets secrets = new Secrets(FarAgents.KEY);
        assertEquals(List.of(product.folder().resolve("secrets/route-claude")), secrets.filesIn(product.folder()));
        List<ProcessHandle> here =
                product.workerAgents().getFirst().descendants().toList();
        assertFalse(secrets.inMemory(here).isEmpty(), "this search finds the key where it is");

        List<ProcessHandle> there = host.processes("");
        assertTrue(there.stream()
                .anyMatch(one -> Processes.arguments(one).getFirst().contains("claude")));
        assertEquals(List.of(), secrets.filesIn(host.home()));
        assertEquals(List.of(), secrets.filesIn(host.tmp()));
        assertEquals(List.of(), secrets.inStart(there));
        assertEquals(List.of(), secrets.inMemory(there));
    }
}
