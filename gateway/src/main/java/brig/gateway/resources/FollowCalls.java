package brig.gateway.resources;

import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.http.Call;
import brig.gateway.listener.Follower;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Followed;
import brig.gateway.session.Sessions;
import brig.protocol.api.AskChange;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SessionChange;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.function.Function;

/** The open asks, and the sessions, over HTTP: as a list, or followed as server-sent events. */
public final class FollowCalls {
    private final ListenerServices listeners;
    private final SessionCalls lists;

    public FollowCalls(ListenerServices listeners, SessionCalls lists) {
        this.listeners = listeners;
        this.lists = lists;
    }

    /** Lists the open asks, or follows them. */
    public void asks(Call call, HttpRequest.ListAsks in) {
        if (call.wantsEvents()) {
            follow(call, sessions().followAsks(call.access(), in.tree()), AskChange::type);
        } else {
            call.answer(200, sessions().asks(call.access(), in.tree()));
        }
    }

    /** Lists sessions, or follows them. */
    public void sessions(Call call, HttpRequest.ListSessions in) {
        if (call.wantsEvents()) {
            follow(call, sessions().followSessions(call.access(), in.ended()), SessionChange::type);
        } else {
            call.answer(200, lists.list(call.caller(), in));
        }
    }

    private Sessions sessions() {
        return listeners.sessions();
    }

    private <C> void follow(Call call, Followed<C> followed, Function<C, String> type) {
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventSink sink = new EventSink(writer);
        EventSink.begin(call.response());
        SseHeartbeat heartbeat = new SseHeartbeat(listeners.timers(), sink);
        Runnable unwatch = listeners.watch(call.access(), writer);
        Runnable unfollow = Follower.follow(
                followed, writer, sink, change -> sink.named(type.apply(change), (Record) change), () -> {
                    heartbeat.stop();
                    unwatch.run();
                });
        call.response().closeHandler(nothing -> unfollow.run());
    }
}
