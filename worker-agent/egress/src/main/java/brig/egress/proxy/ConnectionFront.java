package brig.egress.proxy;

import brig.egress.http.Target;
import brig.egress.policy.HostPort;
import brig.egress.request.Refusal;
import brig.egress.request.RequestRecord;
import brig.protocol.address.HostNames;
import brig.protocol.egress.EgressEvent;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection with a known target and an unknown protocol: the first bytes distinguish TLS from HTTP and SSH. Other protocols
 * pass only if {@code tunnelHosts} has the host, and then unread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class ConnectionFront extends ByteToMessageDecoder implements WorkerEgress.Live {
    private static final byte TLS_HANDSHAKE = 0x16;
    private static final byte[] SSH = "SSH-".getBytes(StandardCharsets.US_ASCII);

    /** The bound of a ClientHello: usually some hundred bytes, about 2,000 with post-quantum keys. */
    static final int CLIENT_HELLO_BYTES_MAX = 64 * 1024;

    private final WorkerEgress worker;
    private final Set<String> hosts;
    private final int port;
    private final boolean granted;
    private final Channel channel;
    private boolean tunnelled;

    /**
     * @param hosts the names of the connection's address; several if names share it
     * @param granted whether a person allowed this connection
     */
    ConnectionFront(WorkerEgress worker, Set<String> hosts, int port, boolean granted, Channel channel) {
        this.worker = worker;
        this.hosts = hosts;
        this.port = port;
        this.granted = granted;
        this.channel = channel;
    }

    /** Adds one for the address that the client dialled. */
    static ConnectionFront addTo(ChannelPipeline pipeline, WorkerEgress worker, InetSocketAddress dialled) {
        InetAddress address = dialled.getAddress();
        Set<String> names = worker.names().namesOf(address.getAddress());
        Set<String> hosts = names.isEmpty() ? Set.of(address.getHostAddress()) : names;
        ConnectionFront front = new ConnectionFront(worker, hosts, dialled.getPort(), false, pipeline.channel());
        pipeline.addLast(front);
        return front;
    }

    @Override
    public Channel channel() {
        return channel;
    }

    @Override
    public void recheck() {
        // Nothing was sent yet; requests are judged when they arrive.
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        String host = hosts.iterator().next();
        if (hosts.size() == 1
                && worker.policy().tunnels(host, port)
                && worker.policy().host(host, port).allowed()) {
            tunnelled = true;
            ctx.executor().execute(() -> startTunnel(new Target(true, host, port)));
            return;
        }
        ctx.executor()
                .schedule(
                        () -> {
                            if (!ctx.isRemoved()) {
                                ctx.close();
                            }
                        },
                        worker.limits().firstByteMs(),
                        TimeUnit.MILLISECONDS);
    }

    private void startTunnel(Target target) {
        if (channel.isActive() && channel.pipeline().context(this) != null) {
            Tunnel.start(worker, this, target);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (tunnelled) {
            return;
        }
        byte first = in.getByte(in.readerIndex());
        if (first == TLS_HANDSHAKE) {
            ctx.pipeline().replace(this, null, new Intercept());
        } else if (startsWithSsh(in)) {
            if (in.readableBytes() >= SSH.length) {
                refuse(hosts.iterator().next(), "it speaks SSH, which needs tunnelHosts");
                in.skipBytes(in.readableBytes());
                ctx.close();
            }
        } else if (first >= 'A' && first <= 'Z') {
            HttpFront front =
                    HttpFront.addTo(ctx.pipeline(), worker, new Destination.Fixed(hosts, port, false, granted));
            worker.replace(this, front);
            ctx.pipeline().remove(this);
        } else {
            refuse(hosts.iterator().next(), "it speaks neither TLS nor HTTP, which needs tunnelHosts");
            in.skipBytes(in.readableBytes());
            ctx.close();
        }
    }

    /** Whether it is that, or the beginning of it (RFC 4253, section 4.2). */
    private static boolean startsWithSsh(ByteBuf in) {
        int length = Math.min(in.readableBytes(), SSH.length);
        for (int i = 0; i < length; i++) {
            if (in.getByte(in.readerIndex() + i) != SSH[i]) {
                return false;
            }
        }
        return true;
    }

    private void refuse(String host, String rule) {
        RequestRecord record = new RequestRecord(
                RequestRecord.Kind.CONNECT, "CONNECT", "tcp", new HostPort(host, port), "", System.nanoTime());
        record.refuse(new Refusal(403, rule, ""));
        worker.handleDecided(record);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    /** Reads the server name of the ClientHello, and serves TLS under it if it is the connection's target. */
    private final class Intercept extends AbstractSniHandler<String> {
        Intercept() {
            super(CLIENT_HELLO_BYTES_MAX, worker.limits().handshakeMs());
        }

        @Override
        protected Future<String> lookup(ChannelHandlerContext ctx, @Nullable String name) {
            Promise<String> chosen = ctx.executor().newPromise();
            String host = choose(name);
            if (host == null) {
                String shown = name == null ? null : HostNames.normalize(name);
                refuse(
                        hosts.iterator().next(),
                        "the name in TLS is " + (shown == null ? "none" : shown) + ", but the connection goes to "
                                + hosts.iterator().next());
                return chosen.setFailure(Refusal.blocked("TLS name").asException());
            }
            worker.around()
                    .leaves()
                    .prepare(host)
                    .whenCompleteAsync(
                            (leaf, failure) -> {
                                if (leaf != null) {
                                    chosen.trySuccess(host);
                                } else {
                                    chosen.tryFailure(failure);
                                }
                            },
                            ctx.executor());
            return chosen;
        }

        private @Nullable String choose(@Nullable String name) {
            if (name == null) {
                return hosts.size() == 1 ? hosts.iterator().next() : null;
            }
            String host = HostNames.normalize(name);
            return host != null && hosts.contains(host) ? host : null;
        }

        @Override
        protected void onLookupComplete(ChannelHandlerContext ctx, @Nullable String name, Future<String> chosen) {
            if (!chosen.isSuccess()) {
                ctx.close();
                return;
            }
            String host = chosen.getNow();
            SslHandler tls = worker.around().leaves().newHandler(ctx.alloc(), host, port);
            tls.setHandshakeTimeoutMillis(worker.limits().handshakeMs());
            tls.handshakeFuture().addListener(done -> {
                if (!done.isSuccess()) {
                    worker.reports()
                            .handleNoted(new EgressEvent.TlsFailed(
                                    host,
                                    port,
                                    "the client broke off TLS: it does not trust Brig's authority, or pins the server's"
                                            + " certificate (then tunnelHosts helps)"));
                }
            });
            ChannelPipeline pipeline = ctx.pipeline();
            HttpFront front =
                    HttpFront.addTo(pipeline, worker, new Destination.Fixed(Set.of(host), port, true, granted));
            worker.replace(ConnectionFront.this, front);
            pipeline.replace(this, null, tls);
        }
    }
}
