package brig.protocol.control;

import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.json.Fields;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.Asker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a gateway asks of a worker-agent; {@link ControlCall} gives it its id. */
@Tagged(value = "op", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface ControlRequest {
    /** What it is, and what it offers: {@link HelloAnswer}. */
    record Hello() implements ControlRequest {}

    /**
     * Refuses what {@link Spawn} would refuse for its agent, its policy, its folder, or because too many were started just
     * now; makes nothing, and is answered with {@link Done}.
     */
    record Check(SpawnRequest request, @Flat Asker asker) implements ControlRequest {}

    /** Starts a worker: {@link SpawnAnswer}. */
    record Spawn(String spawnId, SpawnRequest request, @Flat Asker asker) implements ControlRequest {
        public Spawn {
            requireSpawnId(spawnId);
        }
    }

    /**
     * Begins to end a worker: {@link Done}.
     *
     * @param reason that of its last frame, where it is one of those that there are; null for {@code requested}
     * @param forget nobody will acknowledge its frames, and there shall be no worker of that id later
     */
    record Terminate(
            String spawnId,
            @Nullable String reason,
            @OmitEmpty boolean forget) implements ControlRequest {
        public Terminate {
            requireSpawnId(spawnId);
        }
    }

    /** Which workers there are: {@link WorkersAnswer}. */
    @Name("list")
    record ListWorkers() implements ControlRequest {}

    /** What an agent changed in its worktree or copy: {@link DiffAnswer}. */
    record Diff(String spawnId) implements ControlRequest {
        public Diff {
            requireSpawnId(spawnId);
        }
    }

    /**
     * Takes over what an agent changed: {@link ApplyAnswer}.
     *
     * @param check only looks whether it fits
     * @param allow globs of files that are withheld where nobody names them
     */
    record Apply(
            String spawnId,
            @OmitEmpty boolean check,
            @OmitEmpty List<String> allow) implements ControlRequest {
        public Apply {
            requireSpawnId(spawnId);
        }
    }

    /** Worktrees and copies that stay after their spawn: {@link WorkspacesAnswer}. */
    record Workspaces() implements ControlRequest {}

    /** Removes one of them: {@link DiscardAnswer}. */
    record Discard(String spawnId) implements ControlRequest {
        public Discard {
            requireSpawnId(spawnId);
        }
    }

    /**
     * What a running worker may reach, {@link EgressAnswer}, or what a person decided about it, {@link EgressDecided}.
     *
     * @param decision null where nothing is decided
     * @param host with {@code :port} or without; never null in a decision about one
     * @param secret its name; never null in {@code REVOKE}
     */
    record Egress(
            String spawnId,
            @Nullable EgressDecision decision,
            @NotEmpty @Nullable String host,
            @NotEmpty @Nullable String secret)
            implements ControlRequest {
        public Egress {
            requireSpawnId(spawnId);
            if (decision != null && (decision == EgressDecision.REVOKE ? secret : host) == null) {
                throw Fields.invalid(decision == EgressDecision.REVOKE ? "secret" : "host", "is missing");
            }
        }
    }

    /** Lines that brig-egress wrote behind that position, empty for the beginning: {@link AuditAnswer}. */
    record Audit(@Default("") String from) implements ControlRequest {}

    /** Asks a model's server for its list of models as an agent would: {@link TestRouteAnswer}. */
    record TestRoute(@NotEmpty String route) implements ControlRequest {}

    /** What the wall enforces here, and what is missing: {@link DoctorAnswer}. */
    record Doctor() implements ControlRequest {}

    /** Ends all workers, then the worker-agent: {@link Done}. */
    record Shutdown() implements ControlRequest {}

    /** The id names files: nothing but the form that Brig itself gives may pass. */
    private static void requireSpawnId(String id) {
        if (!Ids.isSpawnId(id)) {
            throw Fields.invalid("spawn_id", "must be spn_ and 24 characters 0-9 a-z");
        }
    }
}
