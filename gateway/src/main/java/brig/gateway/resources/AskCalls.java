package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.listener.AskFollower;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.api.AskList;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Lists what agents ask, over all sessions, and passes on answers. Whoever reads a session sees its asks; its captains
 * answer them, whichever of them holds control.
 *
 * <p>Decision 0149.
 */
public final class AskCalls {
    private final ListenerServices listeners;
    private final Sessions sessions;
    private final WorkerAgent workers;

    public AskCalls(ListenerServices listeners, WorkerAgent workers) {
        this.listeners = listeners;
        this.sessions = listeners.sessions();
        this.workers = workers;
    }

    /** Lists the open asks. */
    public AskList list(Caller caller, SpawnerRequest.Asks in) {
        return sessions.asks(caller.access(), in.tree());
    }

    /** Lists the open asks, or follows them. */
    public void list(Call call, HttpRequest.ListAsks in) {
        AskList open = sessions.asks(call.access(), in.tree());
        if (!call.wantsEvents()) {
            call.answer(200, open);
            return;
        }
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventSink sink = new EventSink(writer);
        EventSink.begin(call.response());
        SseHeartbeat heartbeat = new SseHeartbeat(listeners.timers(), sink);
        Runnable unwatch = listeners.watch(call.access(), writer);
        Runnable unfollow = AskFollower.follow(
                sessions,
                call.access(),
                in.tree(),
                writer,
                sink,
                change -> sink.named(change.type(), (Record) change),
                () -> {
                    heartbeat.stop();
                    unwatch.run();
                });
        call.response().closeHandler(nothing -> unfollow.run());
    }

    /**
     * Passes on an answer.
     *
     * @throws BrigException {@code NOT_FOUND}, also for an ask of a session that the caller may not read
     */
    public CompletionStage<AskAnswer> answer(Caller caller, SpawnerRequest.AnswerAsk in) {
        AnswerChoice.requireOne(in.option(), in.text());
        Spawn spawn = find(caller.access(), in.askId());
        Access here = caller.access().in(spawn);
        here.requireCaptain();
        sessions.of(spawn).requireAlive();
        AnswerChoice choice = new AnswerChoice(in.option(), in.text(), here.captain(), caller.via(in.client()));
        return workers.answer(spawn.workerId(), in.askId(), choice);
    }

    private Spawn find(Access access, String askId) {
        if (!Ids.isAskId(askId)) {
            throw BrigException.invalid("id", "must be ask_ and 24 characters 0-9 a-z");
        }
        List<Spawn> asking = sessions.all().stream()
                .filter(spawn -> spawn.asks().knows(askId) && access.opens(spawn))
                .toList();
        if (asking.isEmpty()) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "there is no ask '" + askId + "'; 'brig asks' lists those that wait");
        }
        return asking.getFirst();
    }
}
