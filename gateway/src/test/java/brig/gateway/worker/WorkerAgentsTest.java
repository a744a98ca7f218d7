package brig.gateway.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.control.WorkspacesAnswer.KeptRoot;
import brig.protocol.control.WorkspacesAnswer.KeptWorkspace;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is asked of all hosts at once. */
class WorkerAgentsTest {
    private static WorkerAgent answering(CompletableFuture<WorkspacesAnswer> answer) {
        return (WorkerAgent) Proxy.newProxyInstance(
                WorkerAgentsTest.class.getClassLoader(),
                new Class<?>[] {WorkerAgent.class},
                (proxy, method, arguments) -> answer);
    }

    /** @param host where that worker-agent says it is */
    private static WorkerAgent with(String spawnId, @Nullable String host) {
        return answering(CompletableFuture.completedFuture(new WorkspacesAnswer(
                List.of(new KeptWorkspace(spawnId, "fix", WorkspaceMode.COPY, "/a", null, "/w/" + spawnId, 5, host)),
                List.of(new KeptRoot("root_" + spawnId, null, "project x", "debian", "sha256:0", 1, 5, null, host)))));
    }

    @Test
    void shouldSayOfEachKeptWorkspaceWhereItIsAndWhichHostsWereNotAsked() {
        WorkerAgents all = new WorkerAgents(with("spn_here", null), spawnId -> null);
        all.add("near", with("spn_near", "far"));
        all.add(
                "away",
                answering(
                        CompletableFuture.failedFuture(new BrigException(ErrorCode.WORKER_AGENT_UNAVAILABLE, "x", 1))));
        WorkspacesAnswer answer = all.workspaces().toCompletableFuture().join();
        assertEquals(
                List.of("spn_here null", "spn_near near"),
                answer.workspaces().stream()
                        .map(one -> one.spawnId() + " " + one.host())
                        .toList());
        assertEquals(
                List.of("root_spn_here null", "root_spn_near near"),
                answer.roots().stream().map(one -> one.id() + " " + one.host()).toList());
        assertEquals(List.of("away"), answer.outOfReach());
    }
}
