package brig.gateway.resources;

import brig.gateway.http.Call;
import brig.gateway.limits.Admission;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AgentOffer;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an operator sees and switches over HTTP. */
public final class OperatorCalls {
    private static final int DEADLINE_SECONDS = 30;
    private static final int DEADLINE_SECONDS_MAX = 3_600;

    private final GatewayStatus status;
    private final WorkerAgent workers;
    private final OperatorControls controls;
    private final Admission admission;

    public OperatorCalls(GatewayStatus status, WorkerAgent workers, OperatorControls controls) {
        this.status = status;
        this.workers = workers;
        this.controls = controls;
        this.admission = controls.admission();
    }

    public void status(Call call) {
        call.answer(200, status.view());
    }

    /** An agent profile, and what became of the spawns that asked for it. */
    public void agentStatus(Call call) {
        String name = call.id();
        call.answer(200, workers.hello().thenApply(hello -> {
            AgentOffer agent = hello.agents().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new BrigException(ErrorCode.UNKNOWN_AGENT, "there is no agent '" + name + "'"));
            Map<String, @Nullable Object> view = Json.parseObject(Json.write(agent));
            view.put("spawns", status.states(spawn -> spawn.agent().equals(name)));
            return view;
        }));
    }

    public void pause(Call call) {
        admission.pause();
        call.answer(200, status.view());
    }

    public void drain(Call call) {
        admission.drain();
        call.answer(200, status.view());
    }

    public void resume(Call call) {
        admission.resume();
        call.answer(200, status.view());
    }

    public void shutdown(Call call) {
        Fields body = call.body().only(Set.of("deadline_seconds", "hand_over"));
        long seconds = body.number("deadline_seconds", 0, DEADLINE_SECONDS_MAX, DEADLINE_SECONDS);
        boolean handOver = body.flag("hand_over");
        admission.close();
        call.answer(202, status.view());
        controls.stopper().stop(seconds * 1000, handOver);
    }

    public void prune(Call call) {
        Fields body = call.body().only(Set.of("dry_run"));
        call.answer(
                200, controls.pruner().prune(body.flag("dry_run"), call.access().captain()));
    }

    public void agents(Call call) {
        call.answerWith(200, workers.hello());
    }

    public void doctor(Call call) {
        call.answerWith(200, workers.doctor());
    }
}
