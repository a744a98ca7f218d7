package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.FarAgents.Call;
import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The real agents on a host that ssh reaches, whose network is at home, where their models' keys stay. */
@Timeout(400)
@Order(3)
@Tag("slow")
class RemoteAgentsTest {
    private static final String NAME = "build1";

    private static Path log;
    private static ScriptedModel model;
    private static SshHost host;
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        FarAgents.ALL.forEach(RealAgents::require);
        Product.requireRoot("to read the memory of another user's processes");
        host = SshHost.start(NAME);
        Payloads.unpackOn(host);
        FarAgents.installOn(host);
        product = FarAgents.prepare();
        log = product.folder().resolve("model.log");
        model = new ScriptedModel(log);
        Payloads.keepFor(product);
        product.serve();
        for (String agent : FarAgents.ALL) {
            FarAgents.route(product, agent, model);
        }
        host.addTo(product, "--egress", "home");
    }

    @AfterAll
    static void stop() throws IOException {
        if (model != null) {
            model.close();
        }
        if (product != null) {
            product.close();
        }
        if (host != null) {
            host.close();
        }
    }

    private static String brig(String... arguments) throws IOException {
        Run run = product.brig(arguments);
        assertEquals(0, run.exitCode(), () -> run.err() + run.out());
        return run.out();
    }

    private static String file(String agent) {
        return agent + ".txt";
    }

    private static Path repository() throws IOException {
        Path repository = Files.createDirectory(product.folder().resolve("shop"));
        for (String agent : FarAgents.ALL) {
            Files.writeString(repository.resolve(file(agent)), "one\n");
        }
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

    /** What Codex asks its vendor's model is not what the scripted one knows. */
    private static boolean needsModel(String agent) {
        return agent.equals("codex");
    }

    private static Run work(String agent, Path repository) throws IOException {
        List<Call> calls = new ArrayList<>(FarAgents.edit(agent, "/workspace", file(agent)));
        calls.add(FarAgents.command(agent, "grep -c two " + file(agent) + " && echo done-by-" + agent + "-$((40+2))"));
        List<String> words = new ArrayList<>(List.of("run", agent, "--host", NAME, "-r", repository.toString()));
        words.addAll(List.of("--task-id", agent));
        if (needsModel(agent)) {
            words.addAll(List.of("--model", "scripted"));
        }
        words.addAll(List.of("--", FarAgents.calls(calls)));
        return Run.of(product.command(words.toArray(String[]::new)), "", product.folder(), 120);
    }

    @Test
    void shouldWorkThereOnARepositoryOfHereAllAtOnce() throws Exception {
        Path repository = repository();
        Map<String, Future<Run>> works = new LinkedHashMap<>();
        try (ExecutorService all = Executors.newFixedThreadPool(FarAgents.ALL.size())) {
            for (String agent : FarAgents.ALL) {
                works.put(agent, all.submit(() -> work(agent, repository)));
            }
        }
        for (String agent : FarAgents.ALL) {
            Run run = works.get(agent).get();
            assertEquals(0, run.exitCode(), () -> agent + ": " + run.err() + run.out());
            assertTrue(run.out().contains("Called."), run::toString);
            assertTrue(
                    FarAgents.wasAsked(log, "done-by-" + agent + "-42"), "the model was told what the command printed");
            assertTrue(brig("diff", agent).contains("+two"));
            brig("apply", agent);
            assertEquals("two\n", Files.readString(repository.resolve(file(agent))));
        }
    }

    private static Spawned start(String agent) throws IOException {
        String model = needsModel(agent) ? ",\"model\":\"scripted\"" : "";
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"host\":\"" + NAME + "\",\"agent_config\":{\"name\":\"" + agent
                        + "\"" + model + "},\"prompt\":\"#scenario:text:1\"}"));
    }

    private static void readAnswer(String agent, Frames frames, Wire wire) throws IOException {
        JsonObject done = frames.readUntilType(wire, "done").last();
        assertEquals(0, done.number("exit_code", -1), () -> agent + ": " + String.join("\n", frames.lines()));
    }

    @Test
    void shouldGoOnAfterTheGatewayWasKilledInTheMiddle() throws Exception {
        Map<String, Spawned> sessions = new LinkedHashMap<>();
        Map<String, Wire> wires = new LinkedHashMap<>();
        Map<String, Frames> read = new LinkedHashMap<>();
        for (String agent : FarAgents.ALL) {
            sessions.put(agent, start(agent));
            read.put(agent, new Frames());
        }
        for (String agent : FarAgents.ALL) {
            Wire wire = sessions.get(agent).captain();
            wires.put(agent, wire);
            readAnswer(agent, read.get(agent), wire);
        }
        for (String agent : FarAgents.ALL) {
            wires.get(agent).sendLine(Spawned.user("#scenario:slow:40:100"));
        }
        for (String agent : FarAgents.ALL) {
            read.get(agent)
                    .readUntil(wires.get(agent), frame -> frame.toString().contains("tok5"));
            wires.get(agent).close();
        }
        product.kill();
        product.serve();
        for (String agent : FarAgents.ALL) {
            Spawned spawned = sessions.get(agent);
            Frames frames = read.get(agent);
            Await.until(
                    "the session is in reach again",
                    () -> spawned.view().text("state").equals("running"));
            try (Wire wire = spawned.captain(frames.next())) {
                readAnswer(agent, frames, wire);
                wire.sendLine(Spawned.user("#scenario:text:3"));
                readAnswer(agent, frames, wire);
            }
        }
        assertKeyIsAtHomeAlone();
    }

    private static void assertKeyIsAtHomeAlone() throws IOException {
        Secrets secrets = new Secrets(FarAgents.KEY);
        List<Path> found = new ArrayList<>(secrets.filesIn(product.folder()));
        assertTrue(found.remove(log), "the model was given the key");
        for (Path file : found) {
            assertEquals(product.folder().resolve("secrets"), file.getParent());
        }
        List<ProcessHandle> here =
                product.workerAgents().getFirst().descendants().toList();
        assertFalse(secrets.inMemory(here).isEmpty(), "this search finds the key where it is");

        List<ProcessHandle> there = host.processes("");
        for (String agent : FarAgents.ALL) {
            assertTrue(
                    there.stream()
                            .anyMatch(one -> Processes.arguments(one).getFirst().contains(agent)),
                    agent + " runs there");
        }
        assertEquals(List.of(), secrets.filesIn(host.home()));
        assertEquals(List.of(), secrets.filesIn(host.tmp()));
        assertEquals(List.of(), secrets.inStart(there));
        assertEquals(List.of(), secrets.inMemory(there));
    }
}
