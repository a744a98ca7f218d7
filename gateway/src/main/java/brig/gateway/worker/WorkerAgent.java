package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.message.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The worker-agent as the gateway sees it. What calls return completes on the event loop; it fails with a
 * {@link brig.protocol.BrigException}: a refusal of the worker-agent's own, or {@code WORKER_AGENT_UNAVAILABLE}.
 */
public interface WorkerAgent {
    /**
     * A worker that was started: the socket that its frames come from, the real path of its workspace, and what its wall
     * was found to enforce.
     */
    record Started(String socket, String workspace, Map<String, @Nullable Object> posture) {}

    /**
     * A worker that the worker-agent has: running, or ended with frames that are not acknowledged yet.
     *
     * @param lastSeq the number of its newest frame
     * @param working whether it has a message that it has not done
     */
    record Alive(
            String spawnId,
            String socket,
            String workspace,
            Map<String, @Nullable Object> posture,
            long lastSeq,
            boolean working) {}

    /** What the worker-agent has: workers that are up, or were; and the ids of those that are on their way. */
    record Listing(List<Alive> workers, Set<String> starting) {}

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
    CompletionStage<Started> spawn(String spawnId, SpawnRequest request, SpawnRequest.Asker asker);

    /** Begins to stop a worker; its end shows in its frames. */
    CompletionStage<Void> terminate(String spawnId, String reason);

    /**
     * Makes sure that there is no worker of that name, now or later: ends the one there is, without waiting for anybody to
     * read its last frames, and refuses a request for one that is still on its way.
     */
    CompletionStage<Void> abandon(String spawnId);

    CompletionStage<Listing> list();

    /** What it says of itself: version, limits level, agents. */
    CompletionStage<Map<String, @Nullable Object>> hello();

    /** What an agent changed in its worktree or copy; {@code NOT_FOUND} where it has none. */
    CompletionStage<Map<String, @Nullable Object>> diff(String spawnId);

    /**
     * Takes over into the repository what it has not yet of a spawn's worktree, if all of it fits; {@code NOT_FOUND} where it
     * has none. The answer has {@code repository}, {@code stat}, {@code patch}, {@code truncated}, {@code applied},
     * {@code conflicts}, {@code withheld}.
     *
     * @param check only looks whether it fits
     * @param allow globs of files that are withheld where nobody names them
     */
    CompletionStage<Map<String, @Nullable Object>> apply(String spawnId, boolean check, List<String> allow);

    /** Worktrees and copies that stay after their spawn. */
    CompletionStage<Map<String, @Nullable Object>> workspaces();

    /** Removes one of them with its changes; {@code NOT_FOUND} where there is none. */
    CompletionStage<Map<String, @Nullable Object>> discard(String spawnId);

    /** What a worker may reach, and what waits for a person; {@code NOT_FOUND} where it is not there. */
    CompletionStage<Map<String, @Nullable Object>> egress(String workerId);

    /**
     * A person has decided.
     *
     * @param decision {@code allow}, {@code once}, {@code save}, {@code deny}, {@code revoke}
     * @param about {@code host}, or {@code secret} for {@code revoke}
     */
    CompletionStage<Map<String, @Nullable Object>> decideEgress(
            String workerId, String decision, Map<String, String> about);

    /**
     * Lines of the audit behind a position, some of them: {@code lines}, {@code next}, {@code oldest_ms}.
     *
     * @param from empty for the beginning
     */
    CompletionStage<Map<String, @Nullable Object>> audit(String from);

    /**
     * Connects to a server of an agent on 127.0.0.1 inside its wall; {@code NOT_FOUND} where none listens. The connection is
     * not read: who takes it adds its handlers before it returns, and then turns its reading on.
     */
    CompletionStage<Channel> dial(String workerId, int port);

    /**
     * Asks a model's server by that route for its list of models: {@code route}, {@code base_url}, {@code status} of HTTP and
     * {@code text}, the answer's beginning.
     */
    CompletionStage<Map<String, @Nullable Object>> testRoute(String route);

    /** What the wall enforces here, and what is missing. */
    CompletionStage<Map<String, @Nullable Object>> doctor();

    /** Ends all workers and then itself. */
    CompletionStage<Void> shutdown();

    /**
     * Opens a worker's stream of frames, from the one on that its log has not.
     *
     * @param frames takes what the log does not take from the socket itself, and appends it
     */
    WorkerStream open(String socket, StreamLog log, FrameDecoder.Sink frames);
}
