package brig.gateway.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Done;
import brig.protocol.control.Posture;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TransferRequest;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.json.Json;
import brig.protocol.spawn.SpawnRequest;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the gateway asks of home and of a host, and that it reads none of a handover. */
class HandoverAgentTest {
    private static final String ID = "spn_0123456789abcdefghjkmnpq";
    private static final SpawnRequest REQUEST = Json.read(
            "{\"agent_config\":{\"name\":\"a\"},\"prompt\":\"do it\"}".getBytes(StandardCharsets.UTF_8),
            SpawnRequest.class);
    private static final SpawnRequest.Asker CAPTAIN = new SpawnRequest.Asker("ci", false);
    private static final SpawnAnswer STARTED =
            new SpawnAnswer("/w", new Posture("cgroup2", List.of(), List.of(), "a wall"));

    private final List<String> said = new ArrayList<>();
    private final List<Runnable> timers = new ArrayList<>();
    /** Why home hands over nothing; null if it does. */
    private @Nullable BrigException refusal;

    private WorkersAnswer workers = new WorkersAnswer(List.of(), List.of());

    /** A connection that notes what goes over it. */
    private final class Line implements Transfer {
        private final String end;

        Line(String end) {
            this.end = end;
        }

        @Override
        public void send(Record line) {
            said.add(end + " " + new String(Json.write(line), StandardCharsets.UTF_8));
        }

        @Override
        public <A extends Record> CompletionStage<A> answer(Class<A> type) {
            if (end.equals("home") && refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
            return CompletableFuture.completedFuture(
                    type.cast(type == Done.class ? new Done() : new TransferRequest.Outgoing(7)));
        }

        @Override
        public CompletionStage<Void> pass(Transfer to, long bytes, LongConsumer passed) {
            said.add(end + " passes " + bytes);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close(BrigException why) {
            said.add(end + " closed");
        }
    }

    private NetworkAgent agent(String name) {
        return (NetworkAgent) Proxy.newProxyInstance(
                NetworkAgent.class.getClassLoader(),
                new Class<?>[] {NetworkAgent.class},
                (self, method, given) -> switch (method.getName()) {
                    case "transfer" -> CompletableFuture.completedFuture(new Line(name));
                    case "spawn" -> {
                        said.add(name + " spawn handed=" + ((Provision) given[3]).handed());
                        yield CompletableFuture.completedFuture(STARTED);
                    }
                    case "list" -> CompletableFuture.completedFuture(workers);
                    default -> {
                        said.add(name + " " + method.getName() + " "
                                + Arrays.asList(given).getLast());
                        yield CompletableFuture.completedFuture(null);
                    }
                });
    }

    private HandoverAgent agent(boolean network) {
        return new HandoverAgent(
                agent("far"),
                agent("home"),
                network,
                id -> id.equals(ID) ? REQUEST.withoutPrompt() : null,
                (ms, task) -> {
                    timers.add(task);
                    return () -> timers.remove(task);
                });
    }

    private static String handOver(boolean network) {
        return "home {\"transfer\":\"hand_over\",\"spawn_id\":\"" + ID
                + "\",\"request\":{\"agent_config\":{\"name\":\"a\",\"tools\":[]},\"once\":false}"
                + (network ? ",\"network\":true}" : "}");
    }

    private static String takeOver(int bytes) {
        return "far {\"transfer\":\"take_over\",\"spawn_id\":\"" + ID + "\",\"bytes\":" + bytes + "}";
    }

    @Test
    void shouldAskEachForItsPart() {
        agent(true).check(REQUEST, CAPTAIN).toCompletableFuture().join();
        assertEquals(List.of("far check PLACE", "home check HANDOVER"), said);
    }

    @Test
    void shouldPassOnWhatHomeGivesAndStartTheWorkerAtOnce() {
        for (boolean network : new boolean[] {true, false}) {
            said.clear();
            assertEquals(
                    STARTED,
                    agent(network)
                            .spawn(ID, REQUEST, CAPTAIN, Provision.NONE)
                            .toCompletableFuture()
                            .join());
            assertEquals(
                    List.of(
                            handOver(network),
                            takeOver(7),
                            "home passes 7",
                            "far closed",
                            "home closed",
                            "far spawn handed=true"),
                    said);
        }
    }

    @Test
    void shouldStartNothingForWhichHomeHandsOverNothing() {
        refusal = new BrigException(ErrorCode.UNKNOWN_AGENT, "none");
        CompletableFuture<SpawnAnswer> spawn =
                agent(true).spawn(ID, REQUEST, CAPTAIN, Provision.NONE).toCompletableFuture();
        assertThrows(CompletionException.class, spawn::join);
        assertEquals(List.of(handOver(true), "home closed"), said);
    }

    @Test
    void shouldHandOverAgainWhateverRunsWhileTheHostServesNetworks() {
        workers = new WorkersAnswer(
                List.of(
                        new WorkersAnswer.WorkerView(ID, STARTED, 7, false, true, List.of()),
                        new WorkersAnswer.WorkerView("spn_of_nobody", STARTED, 7, false, true, List.of())),
                List.of());
        agent(false).open();
        agent(false).list();
        assertEquals(List.of(), said);
        HandoverAgent agent = agent(true);
        agent.list();
        List<String> once = List.of(handOver(true), takeOver(7), "home passes 7", "far closed", "home closed");
        assertEquals(once, said);
        said.clear();
        agent.open();
        timers.removeFirst().run();
        assertEquals(once, said);
        agent.close();
        assertTrue(timers.isEmpty());
    }

    @Test
    void shouldEndWhatHomeRefusesNowButNotWhatItCannotSay() {
        workers = new WorkersAnswer(
                List.of(new WorkersAnswer.WorkerView(ID, STARTED, 7, false, true, List.of())), List.of());
        refusal = new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "lost");
        agent(true).list();
        assertEquals(List.of(handOver(true), "home closed"), said);
        said.clear();
        refusal = new BrigException(ErrorCode.INVALID_POLICY, "bad");
        agent(true).list();
        assertEquals(List.of(handOver(true), "home closed", takeOver(0), "far closed"), said);
    }
}
