package brig.gateway.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.worker.NetworkAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.control.Posture;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The worker-agent of a host that is served at home: what is asked of it, and what of home. */
class HomeServedTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final SpawnRequest REQUEST = Json.read(
            "{\"agent_config\":{\"name\":\"a\"},\"prompt\":\"do it\"}".getBytes(StandardCharsets.UTF_8),
            SpawnRequest.class);
    private static final SpawnRequest.Asker CAPTAIN = new SpawnRequest.Asker("ci", false);
    private static final EgressGrant GRANT = new EgressGrant("p", true, "PEM", List.of(443), Map.of(), Map.of());
    private static final SpawnAnswer STARTED =
            new SpawnAnswer("/w", new Posture("cgroup2", List.of(), List.of(), "a wall"));

    private final List<String> said = new ArrayList<>();
    private final Map<String, CompletionStage<?>> answers = new HashMap<>(Map.of(
            "home grant", CompletableFuture.completedFuture(GRANT),
            "far spawn", CompletableFuture.completedFuture(STARTED)));
    private final Map<String, FrameDecoder.Sink> streams = new HashMap<>();
    private final HomeServed served =
            new HomeServed(agent("far"), agent("home"), id -> id.equals(ID) ? REQUEST.withoutPrompt() : null);

    /** One that notes what it is asked. */
    private NetworkAgent agent(String name) {
        return (NetworkAgent) Proxy.newProxyInstance(
                NetworkAgent.class.getClassLoader(), new Class<?>[] {NetworkAgent.class}, (self, method, given) -> {
                    String what = name + " " + method.getName();
                    said.add(what);
                    if (method.getName().equals("open")) {
                        streams.put((String) given[0], (FrameDecoder.Sink) given[2]);
                        return null;
                    }
                    return answers.getOrDefault(what, CompletableFuture.completedFuture(null));
                });
    }

    private CompletableFuture<SpawnAnswer> spawn() {
        return served.spawn(ID, REQUEST, CAPTAIN, Provision.NONE).toCompletableFuture();
    }

    private void frame(FrameType type, String fields) {
        byte[] line = ("{" + fields.replace('\'', '"') + "}\n").getBytes(StandardCharsets.UTF_8);
        streams.get(ID).handleFrame(type, 1, line, 0, line.length);
    }

    private void follow() {
        served.open(ID, null, new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {}

            @Override
            public void handleBadFrame(ErrorCode code) {}
        });
    }

    @Test
    void shouldAskHomeForTheNetworkBeforeAWorkerStarts() {
        assertNotNull(served.refusal(ID));
        assertEquals(STARTED, spawn().join());
        assertEquals(List.of("home grant", "far spawn"), said);
        assertNull(served.refusal(ID));
        assertNotNull(served.refusal("spn_0123456789abcdefghjkmnpz"));
    }

    @Test
    void shouldStartNothingWhatHomeRefuses() {
        answers.put(
                "home grant",
                CompletableFuture.failedFuture(new BrigException(ErrorCode.MODEL_ROUTE_MISSING, "no route")));
        assertThrows(CompletionException.class, () -> spawn().join());
        assertEquals(List.of("home grant", "home ungrant"), said);
        assertNotNull(served.refusal(ID));
    }

    @Test
    void shouldEndTheNetworkOfAWorkerThatIsRefusedOrEnds() {
        answers.put("far spawn", CompletableFuture.failedFuture(new BrigException(ErrorCode.MAX_WORKERS, "full")));
        assertThrows(CompletionException.class, () -> spawn().join());
        assertEquals(List.of("home grant", "far spawn", "home ungrant"), said);
        answers.put("far spawn", CompletableFuture.completedFuture(STARTED));
        spawn().join();
        follow();
        said.clear();
        frame(FrameType.STATE, "'state':'terminated'");
        assertEquals(List.of("home ungrant"), said);
        assertNotNull(served.refusal(ID));
    }

    @Test
    void shouldServeWhatRunsAndNothingElseWhenItTakesOver() {
        answers.put(
                "far list",
                CompletableFuture.completedFuture(new WorkersAnswer(
                        List.of(new WorkersAnswer.WorkerView(ID, STARTED, 7, false, true, List.of())),
                        List.of("spn_of_nobody"))));
        served.list().toCompletableFuture().join();
        assertEquals(List.of("far list", "home grant"), said);
        assertNull(served.refusal(ID));
        assertNotNull(served.refusal("spn_of_nobody"));
        answers.put("far list", CompletableFuture.completedFuture(new WorkersAnswer(List.of(), List.of())));
        served.list().toCompletableFuture().join();
        assertEquals("home ungrant", said.getLast());
        assertNotNull(served.refusal(ID));
    }

    @Test
    void shouldKnowItsWorkersBeforeTheirConnectionsAreTaken() {
        // Scenario: a connection that a worker opened while no gateway ran would be refused for good.
        CompletableFuture<EgressGrant> granted = new CompletableFuture<>();
        answers.put("home grant", granted);
        answers.put(
                "far list",
                CompletableFuture.completedFuture(new WorkersAnswer(
                        List.of(new WorkersAnswer.WorkerView(ID, STARTED, 7, false, true, List.of())), List.of())));
        served.list().toCompletableFuture().join();
        assertFalse(served.adopted().toCompletableFuture().isDone());
        granted.complete(GRANT);
        assertTrue(served.adopted().toCompletableFuture().isDone());
    }

    @Test
    void shouldTellTheHostOnlyOfItsOwnWorkers() {
        EgressEvent event = new EgressEvent.ProjectFile("r");
        served.handle(new EgressHappened(ID, event));
        assertEquals(List.of(), said);
        spawn().join();
        served.handle(new EgressHappened(ID, event));
        assertEquals("far tell", said.getLast());
    }

    @Test
    void shouldCarryOutAtHomeWhatIsDecidedThere() {
        spawn().join();
        follow();
        frame(FrameType.ASK, "'ask_id':'1','kind':'egress','native_id':'a.example:443'");
        frame(FrameType.ASK, "'ask_id':'2','kind':'tool'");
        said.clear();
        served.answer(ID, "1", new AnswerChoice("allow", null, "ci", "http"));
        assertEquals(List.of("far answer", "home decideEgress"), said);
        said.clear();
        served.answer(ID, "2", new AnswerChoice("allow", null, "ci", "http"));
        assertEquals(List.of("far answer"), said);
    }

    @Test
    void shouldLetOnlyAnAdminChangeAPolicyWhateverTheHostSays() {
        spawn().join();
        follow();
        frame(FrameType.ASK, "'ask_id':'1','kind':'egress','native_id':'a.example:443'");
        said.clear();
        CompletionException refused = assertThrows(
                CompletionException.class,
                () -> served.answer(ID, "1", new AnswerChoice("save", null, "ci", "http"))
                        .toCompletableFuture()
                        .join());
        assertEquals(ErrorCode.FORBIDDEN, ((BrigException) refused.getCause()).code());
        assertEquals(List.of(), said);
        served.answer(ID, "1", new AnswerChoice("save", null, "ci", "http", true));
        assertEquals(List.of("far answer", "home decideEgress"), said);
    }
}
