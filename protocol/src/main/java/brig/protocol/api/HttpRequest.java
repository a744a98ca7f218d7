package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.control.EgressDecision;
import brig.protocol.frame.AttachOptions;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/** What is asked over HTTP alone: the variable parts of the path, the parameters behind it and the body, as one record. */
public sealed interface HttpRequest {
    /** How many entries a page has at most. */
    int PAGE_MAX = 1_000;

    /** What a ticket is for. */
    enum Part {
        CAPTAIN,
        WATCHER
    }

    /** There is nothing to say. */
    record Nothing() implements HttpRequest {}

    /** @param id any of the names of a session, or the name of what the path is about */
    record Named(String id) implements HttpRequest {}

    /** @param path of the file, as it stands in the request */
    record File(@Nullable String path) implements HttpRequest {}

    /** @param ticket in place of a token */
    record Multiplex(@NotEmpty @Nullable String ticket) implements HttpRequest {}

    /**
     * A request that is for a server of the agent; it is read as it stands, and this only says what is in its path.
     *
     * @param port from 1 to 65535
     * @param path what the server is asked for
     */
    record Port(String id, String port, @Nullable String path) implements HttpRequest {}

    /**
     * A page of spawns. What is null is any.
     *
     * @param limit how many at most; 0 for 100
     * @param after the {@code next} of the page before
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
     * A page of sessions.
     *
     * @param status null for those that have not ended
     * @param limit how many at most; 0 for 100
     * @param after the {@code next} of the page before
     */
    record ListSessions(
            @NotEmpty @Nullable SessionStatus status,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @NotEmpty @Nullable String after)
            implements HttpRequest {}

    /**
     * Follows a session as server-sent events.
     *
     * @param lastEventId the last that the client has, {@code <epoch>-<seq>}; the header of that name goes before it
     * @param presence to be told who is there
     * @param agent only the frames of that sub-agent, or of {@code main}; null for all
     * @param ticket in place of a token
     */
    record Stream(
            String id,
            @NotEmpty @Nullable String lastEventId,
            @OmitEmpty boolean presence,
            @NotEmpty @Nullable String agent,
            @NotEmpty @Nullable String ticket)
            implements HttpRequest {}

    /**
     * Makes the connection a WebSocket of that session.
     *
     * @param ticket in place of a token
     */
    record Attach(
            String id,
            @Flat AttachOptions options,
            @NotEmpty @Nullable String ticket) implements HttpRequest {}

    /**
     * A message to the agent.
     *
     * @param messageId the client's own name for it, {@code [A-Za-z0-9_-]{1,64}}
     * @param takeControl takes control first, where another captain has it
     * @param client the program that asks
     */
    record Input(
            String id,
            @NotEmpty String content,
            @Nullable String messageId,
            @OmitEmpty boolean takeControl,
            @Nullable String client)
            implements HttpRequest {}

    /** What a person says to a network request, see {@link SpawnerRequest.Egress}. */
    record DecideEgress(
            String id,
            EgressDecision decision,
            @NotEmpty @Nullable String host,
            @NotEmpty @Nullable String secret) implements HttpRequest {}

    /**
     * What a hook of an agent reports.
     *
     * @param type words joined by dots, such as {@code session.created}
     * @param sessionId the agent's own id
     * @param spawnId names the session, or {@code requestId} does
     * @param data what else there is to say
     */
    record Report(
            @NotEmpty String type,
            @Nullable String sessionId,
            @Nullable String spawnId,
            @Nullable String requestId,
            @Nullable JsonObject data)
            implements HttpRequest {}

    /**
     * What hooks reported.
     *
     * @param sessionId any of the names of a session; null for all
     * @param after only events with a higher number
     * @param limit how many at most; 0 for 100
     * @param lastEventId as {@link Stream} has it, where they are followed
     * @param ticket in place of a token
     */
    record ListEvents(
            @NotEmpty @Nullable String sessionId,
            @OmitEmpty @Range long after,
            @OmitEmpty @Range(min = 1, max = PAGE_MAX) int limit,
            @NotEmpty @Nullable String lastEventId,
            @NotEmpty @Nullable String ticket)
            implements HttpRequest {}

    /**
     * A way in that works once.
     *
     * @param session the only one that it opens; null for what the token opens
     * @param role null for what the token allows
     */
    record Ticket(@Nullable String session, @Nullable Part role) implements HttpRequest {}

    /**
     * Stops the gateway.
     *
     * @param deadlineSeconds how long what runs has to come to its end; null for 30
     * @param handOver leaves what runs then to the worker-agent; else it is ended
     */
    record Shutdown(
            @Range(max = 3_600) @Nullable Integer deadlineSeconds,
            @OmitEmpty boolean handOver) implements HttpRequest {}
}
