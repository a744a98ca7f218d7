package brig.gateway.model;

import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AgentOffer;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The agent profiles that are offered as models. */
final class OfferedModels {
    private final WorkerAgent workers;

    OfferedModels(WorkerAgent workers) {
        this.workers = workers;
    }

    CompletionStage<List<String>> names() {
        return workers.hello()
                .thenApply(hello -> hello.agents().stream()
                        .filter(AgentOffer::asModel)
                        .map(AgentOffer::name)
                        .toList());
    }

    /** Fails with {@code UNKNOWN_AGENT} if there is no such model. */
    CompletionStage<String> require(String name) {
        return names().thenApply(names -> {
            if (!names.contains(name)) {
                throw new BrigException(ErrorCode.UNKNOWN_AGENT, "no model '" + name + "'; there are " + names);
            }
            return name;
        });
    }
}
