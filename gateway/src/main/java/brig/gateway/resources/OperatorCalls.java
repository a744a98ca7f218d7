package brig.gateway.resources;

import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.limits.Admission;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.AgentUse;
import brig.protocol.api.GatewayView;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.PruneAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.TestRouteAnswer;
import java.util.concurrent.CompletionStage;

/** The operator's views and controls. */
public final class OperatorCalls {
    private static final int DEADLINE_SECONDS = 30;

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

    public GatewayView status(Caller caller) {
        return status.view(caller.access());
    }

    /** An agent profile and the states of its spawns. */
    public CompletionStage<AgentUse> agentStatus(String name) {
        return workers.hello().thenApply(hello -> {
            AgentOffer agent = hello.agents().stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new BrigException(ErrorCode.UNKNOWN_AGENT, "there is no agent '" + name + "'"));
            return new AgentUse(agent, status.states(spawn -> spawn.agent().equals(name)));
        });
    }

    public GatewayView pause() {
        admission.pause();
        return status.view();
    }

    public GatewayView drain() {
        admission.drain();
        return status.view();
    }

    public GatewayView resume() {
        admission.resume();
        return status.view();
    }

    /** Answers before the stop begins. */
    public void shutdown(Call call, HttpRequest.Shutdown in) {
        long seconds = in.deadlineSeconds() == null ? DEADLINE_SECONDS : in.deadlineSeconds();
        admission.close();
        call.answer(202, status.view());
        controls.stopper().stop(seconds * 1000, in.handOver());
    }

    public CompletionStage<PruneAnswer> prune(Caller caller, SpawnerRequest.Prune in) {
        return controls.pruner().prune(in.dryRun(), caller.access().captain());
    }

    /** Free of charge, but the answer belongs to the operator's account. */
    public CompletionStage<TestRouteAnswer> testRoute(SpawnerRequest.TestRoute in) {
        return workers.testRoute(in.route());
    }

    public CompletionStage<ImagesAnswer> images() {
        return workers.images();
    }

    public CompletionStage<ImagesAnswer.Image> pullImage(SpawnerRequest.PullImage in) {
        return workers.pullImage(in.from(), in.name());
    }

    public CompletionStage<ImagesAnswer.Image> removeImage(SpawnerRequest.RemoveImage in) {
        return workers.removeImage(in.name());
    }

    public CompletionStage<HelloAnswer> agents() {
        return workers.hello();
    }

    public CompletionStage<DoctorAnswer> doctor() {
        return workers.doctor();
    }
}
