package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import java.util.List;

/**
 * The gateway's line on a transfer connection. The answer is a {@link TransferAnswer}.
 *
 * <p>Decisions 0164, 0169.
 */
@Tagged(value = "transfer", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface TransferRequest {
    /** The largest line, either way. */
    int LINE_BYTES_MAX = 4 * 1024 * 1024;

    /** The largest pack. */
    long PACK_BYTES_MAX = 4L * 1024 * 1024 * 1024;

    /** The largest handover. */
    long HANDOVER_BYTES_MAX = 1024 * 1024;

    /** The largest patch. */
    long PATCH_BYTES_MAX = 64L * 1024 * 1024;

    /**
     * To the worker-agent that has the repository: {@link Lent}, then a pack of what is missing.
     *
     * @param request whose repository it is
     * @param have commits that the mirror has
     */
    record Lend(
            SpawnRequest request,
            @Flat Asker asker,
            @OmitEmpty List<String> have) implements TransferRequest {
        public Lend {
            have.forEach(commit -> MirrorStart.requireCommit("have", commit));
        }
    }

    /**
     * To the worker-agent that has the mirror; the pack follows. Answered with {@link Done} when all of the commit is
     * there; with {@code WORKSPACE_UNREADABLE} if it is not, and then the mirror says that it has nothing.
     *
     * @param head the commit to name in later answers: {@code commit}, or the one before it
     */
    record Receive(
            String mirror,
            String commit,
            String head,
            @Range(max = PACK_BYTES_MAX) long bytes) implements TransferRequest {
        public Receive {
            MirrorStart.requireMirror(mirror);
            MirrorStart.requireCommit("commit", commit);
            MirrorStart.requireCommit("head", head);
        }
    }

    /**
     * To the worker-agent that has the worktree: {@link Outgoing}, then a patch with the changes that its repository
     * lacks. The gateway's next line is {@link Settled}, which is answered with {@link Done}.
     */
    record Changes(String spawnId) implements TransferRequest {
        public Changes {
            requireSpawnId(spawnId);
        }
    }

    /**
     * To the worker-agent that lent the repository; the patch follows: {@link ApplyAnswer}.
     *
     * @param check only tests whether it applies
     * @param allow globs of files that are withheld unless named
     */
    record Apply(
            String spawnId,
            @OmitEmpty boolean check,
            @OmitEmpty List<String> allow,
            @Range(max = PATCH_BYTES_MAX) long bytes)
            implements TransferRequest {
        public Apply {
            requireSpawnId(spawnId);
        }
    }

    /**
     * To the worker-agent that lent the repository, of a spawn whose machine will be gone; the patch follows, and is kept:
     * {@link Done}.
     */
    record Keep(
            String spawnId, @Range(max = PATCH_BYTES_MAX) long bytes) implements TransferRequest {
        public Keep {
            requireSpawnId(spawnId);
        }
    }

    /**
     * To the worker-agent at home: {@link Outgoing}, then what a worker on another host runs with, in bytes that only
     * worker-agents read: the profile and the policy, and no other.
     *
     * @param network whether that host serves the network: then the rules for it and the values of its secrets are among
     *     them
     */
    record HandOver(
            String spawnId, SpawnRequest request, @OmitEmpty boolean network) implements TransferRequest {
        public HandOver {
            requireSpawnId(spawnId);
        }
    }

    /**
     * To the worker-agent of that host; the bytes follow. Answered with {@link Done}, or with the refusal that a file with
     * that profile or policy would get there. It may come before or after its spawn, and again, which replaces the rules
     * and the values; without bytes it ends them, and the worker's network allows nothing.
     */
    record TakeOver(
            String spawnId, @Range(max = HANDOVER_BYTES_MAX) long bytes) implements TransferRequest {
        public TakeOver {
            requireSpawnId(spawnId);
        }
    }

    /**
     * What is lent.
     *
     * @param head the commit that is checked out
     * @param bytes of the pack; 0 if nothing is missing
     */
    record Lent(
            @Flat MirrorStart start,
            String head,
            @Range(max = PACK_BYTES_MAX) long bytes) {
        public Lent {
            MirrorStart.requireCommit("head", head);
        }
    }

    /** Bytes that follow. */
    record Outgoing(@Range(max = PATCH_BYTES_MAX) long bytes) {}

    /**
     * What became of a patch.
     *
     * @param applied whether the repository has it now
     */
    record Settled(@OmitEmpty boolean applied) {}

    private static void requireSpawnId(String id) {
        if (!Ids.isSpawnId(id)) {
            throw BrigException.invalid("spawn_id", "is none");
        }
    }
}
