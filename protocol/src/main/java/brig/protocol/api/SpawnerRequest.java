package brig.protocol.api;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Limits;
import brig.protocol.Role;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.egress.AuditEvent;
import brig.protocol.frame.AttachOptions;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.RootName;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the spawner socket. HTTP routes for the same operations use the same records. {@code id} is any name
 * of a session: its spawn_id, task_id or session_id.
 */
@Tagged(value = "action", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface SpawnerRequest {
    /** Maximum lifetime of a token, in seconds. */
    long EXPIRES_SECONDS_MAX = 366 * 24 * 3_600;

    /** A request about one session. */
    interface OfSession {
        /** Any name of the session. */
        String id();
    }

    /**
     * Starts a session.
     *
     * @param client the requesting program, {@code [a-z][a-z0-9-]{0,31}}; null if unnamed
     * @param waitFor how long to wait for a place, and over HTTP for the worker: seconds, such as {@code 30s}; null
     *     does not wait
     */
    record Spawn(
            @Flat SpawnRequest request,
            @Nullable String client,
            @NotEmpty @Nullable @Name("wait") String waitFor) implements SpawnerRequest {}

    /** Returns the view of one spawn. */
    record Status(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Lists all spawns visible to the client. */
    @Name("list")
    record ListAll() implements SpawnerRequest {}

    /** Returns the agents of a session. */
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

    /** Adopts the worker of a spawn that was given up, as a new spawn. */
    record Rebind(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Stops the sandbox of a session, and what it costs. */
    record Pause(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Lets the sandbox of a session go on. */
    record Resume(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Turns the connection into one of that session. */
    record Attach(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Flat AttachOptions options)
            implements SpawnerRequest, OfSession {}

    /**
     * Turns the connection into the source of a tracked session.
     *
     * @param agent the agent's program
     * @param taskId the captain's name for the session; null takes the spawn_id
     * @param workspace the folder that it works in
     */
    record Track(
            @NotEmpty String agent,
            @Nullable String taskId,
            @Nullable String workspace) implements SpawnerRequest {}

    /**
     * Returns the changes in the workspace of a spawn.
     *
     * @param to another session: how its worktree differs from this one
     * @param stat returns only which files differ, and by how many lines
     */
    record Diff(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @NotEmpty @Nullable String to,
            @OmitEmpty boolean stat)
            implements SpawnerRequest, OfSession {
        public Diff(String id) {
            this(id, null, false);
        }
    }

    /**
     * Applies the changes of a workspace.
     *
     * @param check only reports the outcome
     * @param allow paths to apply although they would be withheld
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

    /** Takes a checkpoint of the workspace of a session. */
    record Checkpoint(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /** Lists the checkpoints of a session. */
    record Checkpoints(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /**
     * Makes the workspace of a session what it was at a checkpoint.
     *
     * @param at the checkpoint; null for the newest
     */
    record Restore(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Range(max = Limits.SEQ_MAX) @Nullable Long at)
            implements SpawnerRequest, OfSession {}

    /**
     * Starts a session that begins with a checkpoint of another one.
     *
     * @param at the newest checkpoint at or before that frame; null takes one now
     * @param taskId as in {@link SpawnRequest}, as are prompt and once
     */
    record Fork(
            @NotEmpty String id,
            @Range(max = Limits.SEQ_MAX) @Nullable Long at,
            @Nullable String taskId,
            @Nullable String prompt,
            @OmitEmpty boolean once)
            implements SpawnerRequest, OfSession {
        public Fork {
            if (taskId != null && !Ids.isTaskId(taskId)) {
                throw BrigException.invalid("task_id", "must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}");
            }
        }
    }

    /** Lists the workspaces that ended spawns left behind. */
    record Workspaces() implements SpawnerRequest {}

    /** Deletes a kept root. */
    record DiscardRoot(@NotEmpty String id) implements SpawnerRequest {
        public DiscardRoot {
            if (!WorkspacesAnswer.KeptRoot.isId(id)) {
                throw BrigException.invalid("id", "is no id of a kept root: 'brig workspaces' lists them");
            }
        }
    }

    /** Deletes a workspace that a spawn left behind. */
    record Discard(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id)
            implements SpawnerRequest, OfSession {}

    /**
     * Shows what a worker may reach, or changes it.
     *
     * @param decision null only shows
     * @param host the host decided about; null for {@code revoke}
     * @param secret the name of the revoked secret
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
     * Lists the asks that wait for an answer.
     *
     * @param tree any name of a session, whose asks alone are listed; null for all that the client may read
     */
    record Asks(@NotEmpty @Nullable String tree) implements SpawnerRequest {}

    /**
     * Turns the connection into one that is told the open asks, and then each change, as {@link AskChange}.
     *
     * @param tree as in {@link Asks}
     */
    record FollowAsks(@NotEmpty @Nullable String tree) implements SpawnerRequest {}

    /**
     * Turns the connection into one that is told the sessions, and then what changes of them, as {@link SessionChange}.
     *
     * @param ended how many of those that ended it begins with, the newest
     */
    record FollowSessions(
            @OmitEmpty @Range(max = HttpRequest.PAGE_MAX) int ended) implements SpawnerRequest {}

    /**
     * Answers an ask: exactly one of option and text.
     *
     * @param askId the id of the ask
     * @param option the id of an offered option
     * @param text the answer in own words, for asks that take one
     * @param client the answering program, {@code [a-z][a-z0-9-]{0,31}}; null if unnamed
     */
    record AnswerAsk(
            @NotEmpty @Name("id") String askId,
            @NotEmpty @Nullable String option,
            @NotEmpty @Nullable String text,
            @Nullable String client)
            implements SpawnerRequest {}

    /**
     * Searches the audit. Null or 0 matches anything.
     *
     * @param spawnId any name of the session
     * @param since milliseconds since 1970, as is {@code until}
     * @param limit maximum number of entries; 0 for 100
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
        /** Maximum number of entries in an answer. */
        public static final int PAGE_MAX = 1_000;
    }

    /**
     * Sums what requests to models cost. Null or 0 matches anything.
     *
     * @param by null for the agents
     * @param spawnId any name of the session
     * @param since milliseconds since 1970, as is {@code until}
     */
    record Costs(
            CostList.@Nullable By by,
            @NotEmpty @Nullable String spawnId,
            @OmitEmpty @Range(max = Limits.SEQ_MAX) long since,
            @OmitEmpty @Range(max = Limits.SEQ_MAX) long until)
            implements SpawnerRequest {}

    /** Connects to a server of the agent. */
    record Port(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Range(min = 1, max = 65_535) Integer port)
            implements SpawnerRequest, OfSession {}

    /** Connects to a shell on the host of the session's tunnel. */
    record Shell(
            @NotEmpty
            @Name(
                    value = "id",
                    old = {"task_id", "spawn_id", "session_id"})
            String id,

            @Flat CallerTerminal terminal)
            implements SpawnerRequest, OfSession {}

    /**
     * Creates a token.
     *
     * @param captain in whose name it acts; null for the captain of the session, or the role's name
     * @param session the only session it opens; null for no such limit
     * @param expiresSeconds its lifetime; 0 for a day
     */
    record MintToken(
            @Default("watcher") Role role,
            @Nullable String captain,
            @Nullable String session,

            @OmitEmpty @Range(min = 1, max = EXPIRES_SECONDS_MAX)
            long expiresSeconds)
            implements SpawnerRequest {}

    /** @param session the session of the tokens to list; null for all */
    record Tokens(@NotEmpty @Nullable String session) implements SpawnerRequest {}

    /**
     * Revokes a token.
     *
     * @param id of the token, or {@code admin}
     * @param session the session of the token; required from captains
     */
    record RevokeToken(
            @NotEmpty String id, @NotEmpty @Nullable String session) implements SpawnerRequest {}

    /**
     * Creates a link for a browser.
     *
     * @param id the session that the page shows first; null for the list
     * @param share whether to put a watcher's token of that session in the link, so that others can use it
     * @param expiresSeconds lifetime of that token; 0 for a day
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

    /** Lists the agents and policies. */
    record Agents() implements SpawnerRequest {}

    /** Returns the status of the gateway. */
    record Gateway() implements SpawnerRequest {}

    /** @param dryRun only reports what would be deleted */
    record Prune(@OmitEmpty boolean dryRun) implements SpawnerRequest {}

    /** Tests a model route with a request that costs nothing. */
    record TestRoute(@NotEmpty String route) implements SpawnerRequest {}

    /** Lists the images that may be roots of walls. */
    record Images() implements SpawnerRequest {}

    /**
     * Takes in the image of a folder of the gateway's host.
     *
     * @param from absolute path of a plain folder or an OCI layout
     */
    record PullImage(@NotEmpty String from, @NotEmpty String name) implements SpawnerRequest {
        public PullImage {
            if (!from.startsWith("/") || from.indexOf('\0') >= 0) {
                throw BrigException.invalid("from", "must be an absolute path");
            }
            requireImageName(name);
        }
    }

    /** Removes an image. */
    record RemoveImage(@NotEmpty String name) implements SpawnerRequest {
        public RemoveImage {
            requireImageName(name);
        }
    }

    private static void requireImageName(String name) {
        if (!RootName.isName(name)) {
            throw BrigException.invalid("name", "must match [a-z0-9][a-z0-9._-]{0,63}");
        }
    }

    /**
     * Lists the sandboxes of providers.
     *
     * @param all also those that are none of this gateway's
     */
    record Sandboxes(@OmitEmpty boolean all) implements SpawnerRequest {}

    /** Lists the other hosts. */
    record Hosts() implements SpawnerRequest {}

    /** Shows several gateways as one: {@link ClusterView}. */
    record Cluster() implements SpawnerRequest {}

    /**
     * Adds a host, or changes one that was added.
     *
     * @param name such as {@code build1}
     */
    record AddHost(@NotEmpty String name, @Flat HostSettings settings) implements SpawnerRequest {}

    /** Diagnoses another host and the link to it. */
    record CheckHost(@NotEmpty String name) implements SpawnerRequest {}

    /**
     * Forgets a host that was added.
     *
     * @param force also if sessions live there
     */
    record RemoveHost(@NotEmpty String name, @OmitEmpty boolean force) implements SpawnerRequest {}

    /** Brings the payload of the gateway's installation to a host. */
    record UpgradeHost(@NotEmpty String name) implements SpawnerRequest {}

    /** Diagnoses this host. */
    record Doctor() implements SpawnerRequest {}
}
