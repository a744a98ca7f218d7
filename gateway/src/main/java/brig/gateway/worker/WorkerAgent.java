package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's interface to the worker-agent. Results complete on the event loop. They fail with a {@link
 * brig.protocol.BrigException}: a refusal of the worker-agent, or {@code WORKER_AGENT_UNAVAILABLE}.
 */
public interface WorkerAgent {
    /** A request was sent but not answered: it may have been carried out. */
    final class UnansweredException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public UnansweredException() {
            super("the worker-agent did not answer", null, false, false);
        }
    }

    /** Whether it would refuse a request, as far as it can tell without starting anything. Fails with that refusal. */
    CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker);

    /**
     * Starts a worker; idempotent by spawn_id. Fails with {@link UnansweredException} if it may have been started.
     *
     * @param with what it needs besides the request
     */
    CompletionStage<SpawnAnswer> spawn(String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with);

    /**
     * Whether a repository there may be lent to a spawn on another host.
     *
     * @param spawnId the spawn whose changes may be applied to it; null only checks
     */
    CompletionStage<LendableAnswer> lendable(@Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker);

    /** The commits that a mirror there has. */
    CompletionStage<MirrorAnswer> mirror(String mirror);

    /** Opens a connection for a pack or a patch. */
    CompletionStage<Transfer> transfer();

    /** Begins to stop a worker; its end appears in its frames. */
    CompletionStage<Void> terminate(String spawnId, String reason);

    /**
     * Ensures that no worker of that name exists, now or later. Ends an existing one without waiting for its last
     * frames to be read, and refuses a spawn request that is in flight.
     */
    CompletionStage<Void> abandon(String spawnId);

    CompletionStage<WorkersAnswer> list();

    /** Its identity: version, limits level, agents. */
    CompletionStage<HelloAnswer> hello();

    /**
     * An agent's changes in its worktree or copy; {@code NOT_FOUND} if it has none.
     *
     * @param to the spawn of another worktree with the same beginning: how that one differs from this one
     * @param stat only which files differ, and by how many lines
     */
    CompletionStage<DiffAnswer> diff(String spawnId, @Nullable String to, boolean stat);

    /**
     * Applies the missing changes of a spawn's worktree to the repository, all or none; {@code NOT_FOUND} without a
     * worktree.
     *
     * @param check only tests whether they apply
     * @param allow globs of files that are withheld unless named
     */
    CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow);

    /**
     * Takes a checkpoint of a spawn's worktree; {@code CHECKPOINT_UNAVAILABLE} without one.
     *
     * @param lastSeq the newest frame, as are those below
     */
    CompletionStage<CheckpointAnswer> checkpoint(String spawnId, long lastSeq);

    CompletionStage<CheckpointsAnswer> checkpoints(String spawnId);

    /**
     * Makes a worktree what it was at a checkpoint; {@code AGENT_WORKING} while its agent works.
     *
     * @param at null for the newest
     * @return a checkpoint of what was there
     */
    CompletionStage<CheckpointAnswer> restore(String spawnId, @Nullable Long at, long lastSeq);

    /** Worktrees and copies that outlived their spawns. */
    CompletionStage<WorkspacesAnswer> workspaces();

    /** Deletes one of them with its changes; {@code NOT_FOUND} if there is none. */
    CompletionStage<DiscardAnswer> discard(String spawnId);

    /**
     * Deletes a kept root.
     *
     * @param asker its captain, or an admin; {@code NOT_FOUND} for others
     */
    CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(String root, SpawnRequest.Asker asker);

    /** What a worker may reach, and its open asks; {@code NOT_FOUND} if it does not exist. */
    CompletionStage<EgressAnswer> egress(String workerId);

    /**
     * Passes on a person's decision.
     *
     * @param about a host, or the name of a secret for {@code REVOKE}
     * @param by the deciding captain
     * @param via the interface it came by
     */
    CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via);

    /** Answers an ask of a worker's agent; the first answer counts, a later one fails with {@code ASK_SETTLED}. */
    CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice);

    /**
     * Some audit lines after a position.
     *
     * @param from empty for the beginning
     */
    CompletionStage<AuditAnswer> audit(String from);

    /**
     * Connects to an agent's server on 127.0.0.1 inside its wall; {@code NOT_FOUND} if none listens. Reading is off:
     * the caller adds its handlers before it returns, then turns it on.
     */
    CompletionStage<Channel> dial(String workerId, int port);

    /** Connects to a shell on the host of the worker's tunnel; {@code INVALID_FIELD} if it has none. Reading is off. */
    CompletionStage<Channel> shell(String workerId, CallerTerminal terminal);

    /** Requests the list of models over that route. */
    CompletionStage<TestRouteAnswer> testRoute(String route);

    /** Lists the images of its host. */
    CompletionStage<ImagesAnswer> images();

    /** Takes in the image of a folder of its host. */
    CompletionStage<ImagesAnswer.Image> pullImage(String from, String name);

    /** Removes an image of its host. */
    CompletionStage<ImagesAnswer.Image> removeImage(String name);

    /** Diagnoses the wall on this host. */
    CompletionStage<DoctorAnswer> doctor();

    /** Ends all workers, then itself. */
    CompletionStage<Void> shutdown();

    /**
     * Opens a worker's frame stream, from the first frame that the log lacks.
     *
     * @param frames receives and appends the frames that the log does not read in place
     */
    WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames);
}
