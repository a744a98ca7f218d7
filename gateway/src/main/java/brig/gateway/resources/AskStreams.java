package brig.gateway.resources;

import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.http.Call;
import brig.gateway.listener.AskFollower;
import brig.gateway.listener.ListenerServices;
import brig.protocol.api.AskList;
import brig.protocol.api.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;

/** The open asks over HTTP: as a list, or followed as server-sent events. */
public final class AskStreams {
    private final ListenerServices listeners;

    public AskStreams(ListenerServices listeners) {
        this.listeners = listeners;
    }

    /** Lists the open asks, or follows them. */
    public void list(Call call, HttpRequest.ListAsks in) {
        AskList open = listeners.sessions().asks(call.access(), in.tree());
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
                listeners.sessions(),
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
}
