package brig.gateway.listener;

import brig.gateway.limits.GuardedConnection;
import brig.gateway.limits.GuardedConnection.Wait;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Tells the guard which step an HTTP connection is in. It follows the codec and sees what Vert.x does not report: an
 * incomplete head, an unread body, an answer not taken. Streams, which are written below Vert.x, bypass it; an upgraded
 * connection removes it.
 *
 * <p>Decision 0023.
 */
final class HttpPhases extends ChannelDuplexHandler {
    /** The name of Vert.x's handler at the end of the pipeline. */
    private static final String VERTX = "handler";

    private final GuardedConnection guarded;
    private Wait wait = Wait.OPENED;
    /** Whether the codec decoded something in this iteration. */
    private boolean understood;

    private boolean bodyComes;
    private int unanswered;
    /** An answer has begun before its request was complete. */
    private boolean answering;

    private HttpPhases(GuardedConnection guarded) {
        this.guarded = guarded;
    }

    /** Follows a connection from its opening. */
    static HttpPhases follow(Channel channel, GuardedConnection guarded) {
        HttpPhases phases = new HttpPhases(guarded);
        guarded.await(phases.wait);
        channel.pipeline().addBefore(VERTX, null, phases);
        return phases;
    }

    /** Whether a request is waiting for its answer and has received nothing of it. */
    boolean mayBeRefused() {
        return wait == Wait.HEAD || (wait == Wait.BODY && unanswered > 0 && !answering);
    }

    private void become(Wait next) {
        if (next != wait) {
            wait = next;
            guarded.await(next);
        }
    }

    private void check() {
        become(bodyComes ? Wait.BODY : unanswered > 0 ? Wait.ANSWER : Wait.IDLE);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (!(message instanceof HttpObject)) {
            ctx.pipeline().remove(this);
            ctx.fireChannelRead(message);
            return;
        }
        understood = true;
        if (message instanceof HttpRequest) {
            bodyComes = true;
            unanswered++;
            check();
        }
        if (message instanceof LastHttpContent) {
            bodyComes = false;
            check();
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (!understood && !bodyComes && unanswered == 0) {
            become(Wait.HEAD);
        }
        understood = false;
        ctx.fireChannelReadComplete();
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) throws Exception {
        boolean interim =
                message instanceof HttpResponse head && head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        answering |= message instanceof HttpResponse && !interim;
        ChannelPromise written = promise;
        if (message instanceof LastHttpContent && !interim) {
            answering = false;
            written = promise.unvoid();
            written.addListener(done -> {
                unanswered--;
                check();
            });
        }
        var _ = ctx.write(message, written);
    }
}
