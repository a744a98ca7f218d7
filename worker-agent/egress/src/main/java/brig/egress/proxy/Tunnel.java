package brig.egress.proxy;

import brig.egress.connection.Relay;
import brig.egress.http.Target;
import brig.egress.request.Refusal;
import brig.egress.request.RequestRecord;
import brig.protocol.address.HostNames;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A connection that passes unread, except for the TLS server name. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class Tunnel {
    /** A connection whose bytes pass unread. It is closed when its host is no longer allowed. */
    record Unread(WorkerEgress worker, Channel channel, RequestRecord record) implements WorkerEgress.Live {
        @Override
        public void recheck() {
            if (!worker.policy().host(record.at().host(), record.at().port()).allowed()) {
                channel.close();
            }
        }
    }

    private Tunnel() {}

    static void start(WorkerEgress worker, ConnectionFront before, Target target) {
        Channel inside = before.channel();
        inside.config().setAutoRead(false);
        RequestRecord record = new RequestRecord(
                RequestRecord.Kind.TUNNEL, "CONNECT", "tcp", target.hostPort(), "", System.nanoTime());
        record.allow("tunnelHosts has " + target.host());
        Target raw = new Target(false, target.host(), target.port());
        worker.around().dialer().open(worker.loop(), worker.policy(), raw).whenComplete((outside, failure) -> {
            if (outside == null) {
                record.refuse(
                        failure instanceof Refusal.RefusedException refused
                                ? refused.refusal()
                                : Refusal.unreachable("the connection failed"));
                worker.handleDecided(record);
                inside.close();
            } else if (!inside.isActive()) {
                outside.close();
            } else {
                join(worker, before, outside, record);
            }
        });
    }

    private static void join(WorkerEgress worker, ConnectionFront before, Channel outside, RequestRecord record) {
        Channel inside = before.channel();
        worker.replace(before, new Unread(worker, inside, record));
        inside.closeFuture().addListener(unused -> {
            outside.close();
            worker.handleDecided(record);
        });
        outside.pipeline().addFirst(worker.outward());
        inside.pipeline().addLast("name", new NameCheck(record));
        Relay.join(inside, outside, worker.limits(), record::addRequestBytes, record::addResponseBytes);
        inside.pipeline().remove((ChannelHandler) before);
        inside.config().setAutoRead(true);
        outside.config().setAutoRead(true);
    }

    /** Refuses a TLS server name other than the connection's host. */
    private static final class NameCheck extends AbstractSniHandler<Boolean> {
        private final RequestRecord record;

        NameCheck(RequestRecord record) {
            super(ConnectionFront.CLIENT_HELLO_BYTES_MAX, 0L);
            this.record = record;
        }

        @Override
        protected Future<Boolean> lookup(ChannelHandlerContext ctx, @Nullable String name) {
            boolean same = name == null || record.at().host().equals(HostNames.normalize(name));
            return ctx.executor().newSucceededFuture(same);
        }

        @Override
        protected void onLookupComplete(ChannelHandlerContext ctx, @Nullable String name, Future<Boolean> same) {
            if (same.getNow()) {
                ctx.pipeline().remove(this);
            } else {
                record.refuse(Refusal.blocked(
                        "the name in TLS is another than " + record.at().host()));
                ctx.close();
            }
        }
    }
}
