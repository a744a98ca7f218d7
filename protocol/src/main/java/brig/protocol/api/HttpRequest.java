package brig.protocol.api;

import brig.protocol.Limits;
import brig.protocol.SpawnState;
import brig.protocol.control.EgressDecision;
import brig.protocol.frame.AttachOptions;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.OrWord;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/** Requests that exist over HTTP only. Each record holds the path variables, the query parameters and the body. */
public sealed interface HttpRequest {
    /** Maximum number of entries on a page. */
    int PAGE_MAX = 1_000;

    /** The role of a ticket. */
    enum Part {
        CAPTAIN,
        WATCHER
    }

    /** A request without content. */
    record Nothing() implements HttpRequest {}

    /** @param id any name of a session, or the name of the resource in the path */
    record Named(String id) implements HttpRequest {}

    /** @param path path of the file, as in the request */
    record File(@Nullable String path) implements HttpRequest {}

    /** @param ticket replaces a token */
    record Multiplex(@NotEmpty @Nullable String ticket) implements HttpRequest {}

    /**
     * A request to a server of the agent. It is passed on unparsed; this record holds only the parts of its path.
     *
     * @param port from 1 to 65535
     * @param path the path on that server
     */
    record Port(String id, String port, @Nullable String path) implements HttpRequest {}

    /**
     * A page of spawns. Null matches anything.
     *
     * @param limit maximum number of entries; 0 for 100
     * @param after the {@code next} of the previous page
     */
    record ListSpawns(
            @NotEmpty @Nullable SpawnState state,
            @NotEmpty @Nullable String agent,
            @NotEmpty @Nullable String captain,
            @NotEmpty @Nullable String taskId,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @NotEmpty @Nullable String after)
            implements HttpRequest {}

    /**
     * A page of sessions, or follows them.
     *
     * @param status null for sessions that have not ended
     * @param limit maximum number of entries; 0 for 100
     * @param after the {@code next} of the previous page
     * @param ended as in {@link SpawnerRequest.FollowSessions}, for those who follow
     * @param ticket replaces a token
     */
    record ListSessions(
            @NotEmpty @Nullable SessionStatus status,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @NotEmpty @Nullable String after,
            @OmitEmpty @Range(max = PAGE_MAX) int ended,
            @NotEmpty @Nullable String ticket)
            implements HttpRequest {}

    /**
     * Follows a session as server-sent events.
     *
     * @param lastEventId the last event received, {@code <epoch>-<seq>}; the header of that name takes precedence
     * @param presence whether to report who is connected
     * @param agent only the frames of that sub-agent, or of {@code main}; null for all
     * @param maxLatencyMs how long text may wait to be merged, in milliseconds; 0 for frames as they are
     * @param ticket replaces a token
     */
    record Stream(
            String id,

            @OmitEmpty @OrWord("screen") @Range(min = 1, max = Limits.SEQ_MAX)
            long from,

            @NotEmpty @Nullable String lastEventId,
            @OmitEmpty boolean presence,
            @NotEmpty @Nullable String agent,
            @OmitEmpty @Range(max = Limits.LATENCY_MS_MAX) long maxLatencyMs,
            @NotEmpty @Nullable String ticket)
            implements HttpRequest {}

    /**
     * Upgrades the connection to a WebSocket of that session.
     *
     * @param ticket replaces a token
     */
    record Attach(
            String id,
            @Flat AttachOptions options,
            @NotEmpty @Nullable String ticket) implements HttpRequest {}

    /**
     * A message to the agent.
     *
     * @param messageId the client's own id for it, {@code [A-Za-z0-9_-]{1,64}}
     * @param takeControl takes control first if another captain holds it
     * @param client the requesting program
     */
    record Input(
            String id,
            @NotEmpty String content,
            @Nullable String messageId,
            @OmitEmpty boolean takeControl,
            @Nullable String client)
            implements HttpRequest {}

    /** A person's decision on a network request, see {@link SpawnerRequest.Egress}. */
    record DecideEgress(
            String id,
            EgressDecision decision,
            @NotEmpty @Nullable String host,
            @NotEmpty @Nullable String secret) implements HttpRequest {}

    /**
     * An event reported by a hook of an agent.
     *
     * @param type words joined by dots, such as {@code session.created}
     * @param sessionId the agent's own session id
     * @param spawnId identifies the session, unless {@code requestId} does
     * @param data further content
     */
    record Report(
            @NotEmpty String type,
            @Nullable String sessionId,
            @Nullable String spawnId,
            @Nullable String requestId,
            @Nullable JsonObject data)
            implements HttpRequest {}

    /**
     * Lists the asks that wait for an answer, or follows them.
     *
     * @param tree any name of a session, whose asks alone are listed; null for all that the client may read
     * @param ticket replaces a token
     */
    record ListAsks(
            @NotEmpty @Nullable String tree,
            @NotEmpty @Nullable String ticket) implements HttpRequest {}

    /**
     * Lists the events that hooks reported.
     *
     * @param sessionId any name of a session; null for all
     * @param after only events with a higher number
     * @param limit maximum number of events; 0 for 100
     * @param lastEventId as in {@link Stream}, when events are followed
     * @param ticket replaces a token
     */
    record ListEvents(
            @NotEmpty @Nullable String sessionId,
            @OmitEmpty @Range long after,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @NotEmpty @Nullable String lastEventId,
            @NotEmpty @Nullable String ticket)
            implements HttpRequest {}

    /**
     * Requests a ticket that works once.
     *
     * @param session the only session it opens; null for all that the token opens
     * @param role null for the role of the token
     */
    record Ticket(@Nullable String session, @Nullable Part role) implements HttpRequest {}

    /**
     * Stops the gateway.
     *
     * @param deadlineSeconds how long running sessions may take to end; null for 30
     * @param handOver leaves the sessions that still run to the worker-agent instead of ending them
     */
    record Shutdown(
            @Range(max = 3_600) @Nullable Integer deadlineSeconds,
            @OmitEmpty boolean handOver) implements HttpRequest {}
}
