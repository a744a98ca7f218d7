package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Limits;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests of a gateway to a worker-agent; {@link ControlCall} adds the id. */
@Tagged(value = "op", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface ControlRequest {
    /** Returns the identity and the offers of the worker-agent: {@link HelloAnswer}. */
    record Hello() implements ControlRequest {}

    /** A sign of life: {@link Done}. A link with an epoch that gives none for long counts as lost. */
    record Ping() implements ControlRequest {}

    /**
     * Refuses whatever {@link Spawn} would refuse: the agent, the policy, the folder, or too many recent starts. Starts
     * nothing; answered with {@link Done}.
     *
     * @param part null for all of it
     */
    record Check(
            SpawnRequest request,
            @Flat Asker asker,
            @Nullable Part part) implements ControlRequest {
        /** What is checked of a spawn on another host. */
        public enum Part {
            /** By the worker-agent at home: the agent and the policy, which it hands over. */
            HANDOVER,
            /** By that of the host: the rest. */
            PLACE
        }

        public Check(SpawnRequest request, Asker asker) {
            this(request, asker, null);
        }
    }

    /**
     * Starts a worker: {@link SpawnAnswer}.
     *
     * @param with what it needs besides
     */
    record Spawn(
            String spawnId,
            SpawnRequest request,
            @Flat Asker asker,
            @Flat Provision with) implements ControlRequest {
        public Spawn {
            requireSpawnId(spawnId);
        }

        public Spawn(String spawnId, SpawnRequest request, Asker asker) {
            this(spawnId, request, asker, Provision.NONE);
        }
    }

    /**
     * Serves the network of a worker on another host: {@link EgressGrant}. Asked again, it answers the same. It refuses
     * what {@link Spawn} would refuse about the agent and the policy.
     */
    record Grant(String spawnId, SpawnRequest request) implements ControlRequest {
        public Grant {
            requireSpawnId(spawnId);
        }
    }

    /** Ends that: {@link Done}. No error if there is none. */
    record Ungrant(String spawnId) implements ControlRequest {
        public Ungrant {
            requireSpawnId(spawnId);
        }
    }

    /** An event of the network of a worker of this host, which is served at home: {@link Done}. */
    @Name("egress_event")
    record Happened(@Flat EgressHappened happened) implements ControlRequest {
        public Happened {
            requireSpawnId(happened.spawnId());
        }
    }

    /**
     * Refuses whatever {@link TransferRequest.Lend} would refuse, as far as can be told without looking into the
     * repository: {@link LendableAnswer}.
     *
     * @param spawnId the spawn on another host whose changes may be applied later; null only checks
     */
    record Lendable(
            @Nullable String spawnId,
            SpawnRequest request,
            @Flat Asker asker) implements ControlRequest {
        public Lendable {
            if (spawnId != null) {
                requireSpawnId(spawnId);
            }
        }
    }

    /** Says which commits a mirror of another host's repository has: {@link MirrorAnswer}. */
    record Mirror(String mirror) implements ControlRequest {
        public Mirror {
            MirrorStart.requireMirror(mirror);
        }
    }

    /**
     * Begins to end a worker: {@link Done}.
     *
     * @param reason the reason of its last frame, if it is a known one; null for {@code requested}
     * @param forget nobody will acknowledge its frames, and no worker with that id may start later
     */
    record Terminate(
            String spawnId,
            @Nullable String reason,
            @OmitEmpty boolean forget) implements ControlRequest {
        public Terminate {
            requireSpawnId(spawnId);
        }
    }

    /** Lists the workers: {@link WorkersAnswer}. */
    @Name("list")
    record ListWorkers() implements ControlRequest {}

    /**
     * Returns the changes in an agent's worktree or copy: {@link DiffAnswer}.
     *
     * @param to the spawn of another worktree with the same beginning: how that one differs from this one
     * @param stat returns only which files differ, and by how many lines
     */
    record Diff(
            String spawnId, @Nullable String to, @OmitEmpty boolean stat) implements ControlRequest {
        public Diff {
            requireSpawnId(spawnId);
            if (to != null && !Ids.isSpawnId(to)) {
                throw BrigException.invalid("to", "must be spn_ and 24 characters 0-9 a-z");
            }
        }
    }

    /**
     * Applies an agent's changes: {@link ApplyAnswer}.
     *
     * @param check only tests whether they apply
     * @param allow globs of files that are withheld unless named
     */
    record Apply(
            String spawnId,
            @OmitEmpty boolean check,
            @OmitEmpty List<String> allow) implements ControlRequest {
        public Apply {
            requireSpawnId(spawnId);
        }
    }

    /**
     * Takes a checkpoint of a spawn's worktree: {@link CheckpointAnswer}.
     *
     * @param lastSeq its newest frame, for which the checkpoint counts if it has ended
     */
    record TakeCheckpoint(
            String spawnId, @Range(max = Limits.SEQ_MAX) long lastSeq) implements ControlRequest {
        public TakeCheckpoint {
            requireSpawnId(spawnId);
        }
    }

    /** Lists them: {@link CheckpointsAnswer}. */
    @Name("checkpoints")
    record ListCheckpoints(String spawnId) implements ControlRequest {
        public ListCheckpoints {
            requireSpawnId(spawnId);
        }
    }

    /**
     * Makes a worktree what it was at a checkpoint: {@link CheckpointAnswer}, of what it was before. Refused with
     * {@code AGENT_WORKING} while its agent works.
     *
     * @param at the checkpoint; null for the newest
     * @param lastSeq as above
     */
    record Restore(
            String spawnId,
            @Range(max = Limits.SEQ_MAX) @Nullable Long at,
            @Range(max = Limits.SEQ_MAX) long lastSeq) implements ControlRequest {
        public Restore {
            requireSpawnId(spawnId);
        }
    }

    /** Lists the worktrees and copies that outlived their spawns: {@link WorkspacesAnswer}. */
    record Workspaces() implements ControlRequest {}

    /** Deletes one of them: {@link DiscardAnswer}. */
    record Discard(String spawnId) implements ControlRequest {
        public Discard {
            requireSpawnId(spawnId);
        }
    }

    /**
     * Deletes a kept root: the {@link WorkspacesAnswer.KeptRoot} that it was.
     *
     * @param asker its captain, or an admin
     */
    record DiscardRoot(String root, @Flat Asker asker) implements ControlRequest {
        public DiscardRoot {
            if (!WorkspacesAnswer.KeptRoot.isId(root)) {
                throw BrigException.invalid("root", "is no id of a kept root");
            }
        }
    }

    /**
     * Shows what a running worker may reach, {@link EgressAnswer}, or passes on a person's decision, {@link
     * EgressDecided}.
     *
     * @param decision null only shows
     * @param host with {@code :port} or without; never null in a decision about one
     * @param secret its name; never null in {@code REVOKE}
     * @param by the captain that decides; null if unknown, as is {@code via}
     * @param via the interface it came by
     */
    record Egress(
            String spawnId,
            @Nullable EgressDecision decision,
            @NotEmpty @Nullable String host,
            @NotEmpty @Nullable String secret,
            @Nullable String by,
            @Nullable String via)
            implements ControlRequest {
        public Egress {
            requireSpawnId(spawnId);
            if (decision != null && (decision == EgressDecision.REVOKE ? secret : host) == null) {
                throw BrigException.invalid(decision == EgressDecision.REVOKE ? "secret" : "host", "is missing");
            }
        }
    }

    /**
     * Answers an ask of a worker: {@link AskAnswer}. Refused with {@code ASK_SETTLED}, {@code NOT_FOUND}, {@code
     * INVALID_FIELD}, or {@code FORBIDDEN} for an option that only an admin may choose.
     *
     * @param answer with the captain and the interface
     */
    record Answer(
            String spawnId, @NotEmpty String askId, @Flat AnswerChoice answer) implements ControlRequest {
        public Answer {
            requireSpawnId(spawnId);
        }
    }

    /** Reads audit lines of brig-egress from that position on, empty for the beginning: {@link AuditAnswer}. */
    record Audit(@Default("") String from) implements ControlRequest {}

    /** Requests the list of models from a model's server as an agent would: {@link TestRouteAnswer}. */
    record TestRoute(@NotEmpty String route) implements ControlRequest {}

    /** Lists the images that may be roots of walls: {@link ImagesAnswer}. */
    record Images() implements ControlRequest {}

    /**
     * Takes in the image of a folder: {@link ImagesAnswer.Image}. It takes as long as to make a workspace.
     *
     * @param from absolute path of a plain folder or an OCI layout
     */
    record PullImage(@NotEmpty String from, @NotEmpty String name) implements ControlRequest {}

    /** Removes an image: the {@link ImagesAnswer.Image} that it was. */
    record RemoveImage(@NotEmpty String name) implements ControlRequest {}

    /** Diagnoses the wall on this host: {@link DoctorAnswer}. */
    record Doctor() implements ControlRequest {}

    /** Ends all workers, then the worker-agent: {@link Done}. */
    record Shutdown() implements ControlRequest {}

    /** The id becomes part of file names, so only Brig's own form is accepted. */
    private static void requireSpawnId(String id) {
        if (!Ids.isSpawnId(id)) {
            throw BrigException.invalid("spawn_id", "must be spn_ and 24 characters 0-9 a-z");
        }
    }
}
