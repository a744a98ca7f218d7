package brig.gateway.api;

import brig.gateway.limits.Admission;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.time.Clock;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an operator sees and switches over HTTP. */
final class OperatorCalls {
    private static final int DEADLINE_SECONDS = 30;
    private static final int DEADLINE_SECONDS_MAX = 3_600;

    private final Sessions sessions;
    private final WorkerAgent workers;
    private final Controls controls;
    private final Admission admission;
    private final Clock clock;
    private final long startedMs;

    OperatorCalls(Sessions sessions, WorkerAgent workers, Controls controls, Clock clock) {
        this.sessions = sessions;
        this.workers = workers;
        this.controls = controls;
        this.admission = controls.admission();
        this.clock = clock;
        this.startedMs = clock.nowMs();
    }

    void status(Call call) {
        call.answer(200, status());
    }

    private Map<String, @Nullable Object> status() {
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        String version = OperatorCalls.class.getPackage().getImplementationVersion();
        status.put("version", version == null ? "development" : version);
        status.put("started_ms", startedMs);
        status.put("uptime_ms", clock.nowMs() - startedMs);
        status.put("pool", admission.state().wireName());
        status.put("workers", admission.workers());
        status.put("workers_max", admission.bounds().workersMax());
        status.put("spawns", states(spawn -> true));
        Map<String, Integer> queue = admission.queue();
        Map<String, @Nullable Object> waiting = new LinkedHashMap<>();
        waiting.put("waiting", queue.values().stream().mapToInt(Integer::intValue).sum());
        waiting.put("max", admission.bounds().queueMax());
        waiting.put("captains", queue);
        waiting.put("estimate_seconds", admission.estimateSeconds());
        status.put("queue", waiting);
        return status;
    }

    /** How many spawns are in each state. */
    private Map<String, Integer> states(Predicate<Spawn> of) {
        Map<String, Integer> states = new TreeMap<>();
        sessions.all().stream().filter(of).forEach(spawn -> states.merge(spawn.state().wireName(), 1, Integer::sum));
        return states;
    }

    /** An agent profile, and what became of the spawns that asked for it. */
    void agentStatus(Call call) {
        String name = call.id();
        call.answer(200, workers.hello().thenApply(hello -> {
            Fields agent = new Fields(hello).objects("agents").stream()
                    .filter(one -> one.text("name", "").equals(name)).findFirst()
                    .orElseThrow(() -> new BrigException(ErrorCode.UNKNOWN_AGENT, "there is no agent '" + name + "'"));
            Map<String, @Nullable Object> status = new LinkedHashMap<>(agent.asMap());
            status.put("spawns", states(spawn -> spawn.agent().equals(name)));
            return status;
        }));
    }

    void pause(Call call) {
        admission.pause();
        call.answer(200, status());
    }

    void drain(Call call) {
        admission.drain();
        call.answer(200, status());
    }

    void resume(Call call) {
        admission.resume();
        call.answer(200, status());
    }

    void shutdown(Call call) {
        Fields body = call.body().only(Set.of("deadline_seconds", "hand_over"));
        long seconds = body.number("deadline_seconds", 0, DEADLINE_SECONDS_MAX, DEADLINE_SECONDS);
        boolean handOver = body.flag("hand_over");
        admission.close();
        call.answer(202, status());
        controls.stopper().stop(seconds * 1000, handOver);
    }

    void agents(Call call) {
        call.answer(200, workers.hello());
    }

    void doctor(Call call) {
        call.answer(200, workers.doctor());
    }
}
