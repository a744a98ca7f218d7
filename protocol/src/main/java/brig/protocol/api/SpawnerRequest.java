package brig.protocol.api;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.Role;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.AuditEvent;
import brig.protocol.frame.AttachOptions;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be asked on the spawner socket. The same records say what is asked over HTTP, where there is a path for it.
 * {@code id} is any of the names of a session: its spawn_id, task_id or session_id.
 */
@Tagged(value = "action", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface SpawnerRequest {
    /** How long a token is good at most, in seconds. */
    long EXPIRES_SECONDS_MAX = 366 * 24 * 3_600;

    /** One that is about a session. */
    interface OfSession {
        /** Any of the names of the session. */
        String id();
    }

    /**
     * Starts a session.
     *
     * @param client the program that asks, {@code [a-z][a-z0-9-]{0,31}}; null where it does not say
     * @param waitFor how long to wait for a place, and over HTTP for the worker: seconds, such as {@code 30s}; null for not at all
     */
    record Spawn(
            @Flat SpawnRequest request,
            @Nullable String client,
            @NotEmpty @Nullable @Name("wait") String waitFor) implements SpawnerRequest {}

    /** The view of one spawn. */
    record Status(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** All spawns that who asks may see. */
    @Name("list")
    record ListAll() implements SpawnerRequest {}

    /** The agents of a session. */
    record Tree(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Ends a session. */
    record Terminate(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Takes up the worker of a spawn that was given up, as a new spawn. */
    record Rebind(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Makes the connection one of that session. */
    record Attach(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Flat AttachOptions options)
            implements SpawnerRequest, OfSession {}

    /**
     * Makes the connection the one that tells what an agent says which Brig did not start.
     *
     * @param agent what program it is
     * @param taskId the captain's name for the session; null takes the spawn_id
     * @param workspace the folder that it works in
     */
    record Track(
            @NotEmpty String agent,
            @Nullable String taskId,
            @Nullable String workspace) implements SpawnerRequest {}

    /** What changed in the workspace of a spawn. */
    record Diff(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /**
     * Takes the changes of a workspace over.
     *
     * @param check only says what that would be
     * @param allow paths that are taken although they would be withheld
     */
    record Apply(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @OmitEmpty boolean check,
            @OmitEmpty List<String> allow)
            implements SpawnerRequest, OfSession {}

    /** The workspaces that spawns left. */
    record Workspaces() implements SpawnerRequest {}

    /** Removes a workspace that a spawn left. */
    record Discard(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /**
     * What a worker may reach; with a decision, that that is changed.
     *
     * @param decision null only asks
     * @param host what is decided about, but for {@code revoke}
     * @param secret the name of the secret that is taken back
     */
    record Egress(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Nullable EgressDecision decision,
            @NotEmpty @Nullable String host,
            @NotEmpty @Nullable String secret)
            implements SpawnerRequest, OfSession {}

    /**
     * What became of requests of agents. What is null or 0 is any.
     *
     * @param spawnId any of the names of a session
     * @param since milliseconds since 1970, as {@code until}
     * @param limit how many at most; 0 for 100
     * @param cursor only entries with a lower number, newest first
     * @param after only entries with a higher number, oldest first; not with {@code cursor}
     */
    record Audit(
            @NotEmpty @Nullable String spawnId,
            @NotEmpty @Nullable String host,
            AuditEvent.@Nullable Decision decision,
            @OmitEmpty @Range(max = Limits.SEQ_MAX) long since,
            @OmitEmpty @Range(max = Limits.SEQ_MAX) long until,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @OmitEmpty @Range(min = 1, max = Limits.SEQ_MAX) long cursor,
            @Range(max = Limits.SEQ_MAX) @Nullable Long after)
            implements SpawnerRequest {
        /** How many entries an answer has at most. */
        public static final int PAGE_MAX = 1_000;
    }

    /** Makes the connection one to a server of the agent. */
    record Port(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Range(min = 1, max = 65_535) Integer port)
            implements SpawnerRequest, OfSession {}

    /**
     * Makes a token.
     *
     * @param captain in whose name it acts; null for the captain of the session, or the role's name
     * @param session the only one that it opens; null for no such bound
     * @param expiresSeconds how long it is good; 0 for a day
     */
    record MintToken(
            @Default("watcher") Role role,
            @Nullable String captain,
            @Nullable String session,

            @OmitEmpty @Range(min = 1, max = EXPIRES_SECONDS_MAX)
            long expiresSeconds)
            implements SpawnerRequest {}

    /** @param session whose tokens are wanted; null for all */
    record Tokens(@NotEmpty @Nullable String session) implements SpawnerRequest {}

    /**
     * Takes a token back.
     *
     * @param id of the token, or {@code admin}
     * @param session whose token it is; a captain has to say that
     */
    record RevokeToken(
            @NotEmpty String id, @NotEmpty @Nullable String session) implements SpawnerRequest {}

    /**
     * A link for a browser.
     *
     * @param id the session that the page shows first; null for the list
     * @param share whether others can use it: with a watcher's token of that session
     * @param expiresSeconds how long that token is good; 0 for a day
     */
    record Open(
            @NotEmpty
            @Nullable
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @OmitEmpty boolean share,

            @OmitEmpty @Range(min = 1, max = EXPIRES_SECONDS_MAX)
            long expiresSeconds)
            implements SpawnerRequest {}

    /** The agents and policies that there are. */
    record Agents() implements SpawnerRequest {}

    /** How the gateway is. */
    record Gateway() implements SpawnerRequest {}

    /** @param dryRun only says what would be deleted */
    record Prune(@OmitEmpty boolean dryRun) implements SpawnerRequest {}

    /** Asks a model's provider for what costs nothing. */
    record TestRoute(@NotEmpty String route) implements SpawnerRequest {}

    /** What is well and what is not on this host. */
    record Doctor() implements SpawnerRequest {}
}
