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
 * Tells a visitor what its HTTP connection is waited for. It stands behind the codec and sees what Vert.x does not tell
 * of: a head that has only begun, a body that nobody reads, an answer that is not taken. What is written below Vert.x,
 * as streams are, does not come by here; a connection that is no HTTP any more goes on without it.
 *
 * <p>Decision 0023.
 */
final class HttpPhases extends ChannelDuplexHandler {
    /** Vert.x's own end of the pipeline. */
    private static final String VERTX = "handler";

    private final GuardedConnection guarded;
    private Wait wait = Wait.OPENED;
    /** The codec made something of what came in this turn. */
    private boolean understood;

    private boolean bodyComes;
    private int unanswered;
    /** An answer to a request that has not come in whole has begun. */
    private boolean answering;

    private HttpPhases(GuardedConnection guarded) {
        this.guarded = guarded;
    }

    /** From its beginning on. */
    static HttpPhases follow(Channel channel, GuardedConnection guarded) {
        HttpPhases phases = new HttpPhases(guarded);
        guarded.await(phases.wait);
        channel.pipeline().addBefore(VERTX, null, phases);
        return phases;
    }

    /** Whether somebody waits for an answer, and has nothing of it yet. */
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
