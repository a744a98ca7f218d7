package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The worker-agent as the gateway sees it. What calls return completes on the event loop; it fails with a
 * {@link brig.protocol.BrigException}: a refusal of the worker-agent's own, or {@code WORKER_AGENT_UNAVAILABLE}.
 */
public interface WorkerAgent {
    /** A request was sent and its answer did not come: nobody knows whether it was carried out. */
    final class UnansweredException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public UnansweredException() {
            super("the worker-agent did not answer", null, false, false);
        }
    }

    /** Whether it would refuse a request, as far as it can tell without making anything. Fails with that refusal. */
    CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker);

    /**
     * Starts a worker; the same spawn_id again never starts a second one. Fails with {@link UnansweredException} where it
     * may have been started.
     */
    CompletionStage<SpawnAnswer> spawn(String spawnId, SpawnRequest request, SpawnRequest.Asker asker);

    /** Begins to stop a worker; its end shows in its frames. */
    CompletionStage<Void> terminate(String spawnId, String reason);

    /**
     * Makes sure that there is no worker of that name, now or later: ends the one there is, without waiting for anybody to
     * read its last frames, and refuses a request for one that is still on its way.
     */
    CompletionStage<Void> abandon(String spawnId);

    CompletionStage<WorkersAnswer> list();

    /** What it says of itself: version, limits level, agents. */
    CompletionStage<HelloAnswer> hello();

    /** What an agent changed in its worktree or copy; {@code NOT_FOUND} where it has none. */
    CompletionStage<DiffAnswer> diff(String spawnId);

    /**
     * Takes over into the repository what it has not yet of a spawn's worktree, if all of it fits; {@code NOT_FOUND} where it
     * has none.
     *
     * @param check only looks whether it fits
     * @param allow globs of files that are withheld where nobody names them
     */
    CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow);

    /** Worktrees and copies that stay after their spawn. */
    CompletionStage<WorkspacesAnswer> workspaces();

    /** Removes one of them with its changes; {@code NOT_FOUND} where there is none. */
    CompletionStage<DiscardAnswer> discard(String spawnId);

    /** What a worker may reach, and what waits for a person; {@code NOT_FOUND} where it is not there. */
    CompletionStage<EgressAnswer> egress(String workerId);

    /**
     * A person has decided.
     *
     * @param about a host, or the name of a secret for {@code REVOKE}
     */
    CompletionStage<EgressDecided> decideEgress(String workerId, EgressDecision decision, String about);

    /**
     * Lines of the audit behind a position, some of them.
     *
     * @param from empty for the beginning
     */
    CompletionStage<AuditAnswer> audit(String from);

    /**
     * Connects to a server of an agent on 127.0.0.1 inside its wall; {@code NOT_FOUND} where none listens. The connection is
     * not read: who takes it adds its handlers before it returns, and then turns its reading on.
     */
    CompletionStage<Channel> dial(String workerId, int port);

    /** Asks a model's server by that route for its list of models. */
    CompletionStage<TestRouteAnswer> testRoute(String route);

    /** What the wall enforces here, and what is missing. */
    CompletionStage<DoctorAnswer> doctor();

    /** Ends all workers and then itself. */
    CompletionStage<Void> shutdown();

    /**
     * Opens a worker's stream of frames, from the one on that its log has not.
     *
     * @param frames takes what the log does not take from the socket itself, and appends it
     */
    WorkerStream open(String socket, StreamLog log, FrameDecoder.Sink frames);
}
