package brig.egress.connection;

import brig.egress.dns.NameSource;
import brig.egress.http.Target;
import brig.egress.policy.HostPolicy;
import brig.egress.request.Refusal;
import brig.egress.tls.UpstreamTls;
import brig.protocol.address.AddressGuard;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connects to hosts. It resolves a name once, judges each address, and dials one of those that passed. A later change
 * of the name therefore cannot lead to an address that was not judged.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class Dialer {
    private static final int ADDRESSES_TRIED_MAX = 3;

    private final NameSource resolver;
    private final AddressGuard guard;
    private final UpstreamTls tls;
    private final ProxyLimits limits;

    public Dialer(NameSource resolver, AddressGuard guard, UpstreamTls tls, ProxyLimits limits) {
        this.resolver = resolver;
        this.guard = guard;
        this.tls = tls;
        this.limits = limits;
    }

    public NameSource resolver() {
        return resolver;
    }

    /**
     * Opens a connection, with TLS if the target needs it. Completes on the loop before the first byte is read; fails
     * with a {@link Refusal.RefusedException}.
     */
    public CompletableFuture<Channel> open(EventLoop loop, HostPolicy policy, Target target) {
        CompletableFuture<Channel> opened = new CompletableFuture<>();
        resolver.resolve(target.host())
                .whenCompleteAsync(
                        (addresses, failure) -> {
                            if (addresses == null) {
                                opened.completeExceptionally(Refusal.unreachable(target.host() + " has no address")
                                        .asException());
                                return;
                            }
                            List<InetAddress> open = new ArrayList<>();
                            String closed = choose(addresses, policy, target, open);
                            if (open.isEmpty()) {
                                opened.completeExceptionally(
                                        Refusal.blocked(closed).asException());
                            } else {
                                connect(loop, target, open, 0, opened);
                            }
                        },
                        loop);
        return opened;
    }

    /** Adds the allowed addresses to {@code open}. @return why others are refused */
    private String choose(List<InetAddress> addresses, HostPolicy policy, Target target, List<InetAddress> open) {
        String why = "no address of " + target.host() + " may be reached";
        for (InetAddress address : addresses) {
            String kind = guard.closed(address);
            if (policy.deniesAddress(address, target.port())) {
                why = target.host() + " leads to " + address.getHostAddress() + ", which deniedHosts has";
            } else if (kind != null && !policy.namesAddress(address, target.port())) {
                why = target.host() + " leads to " + address.getHostAddress() + ", " + kind
                        + ", which allowedHosts does not name";
            } else if (open.size() < ADDRESSES_TRIED_MAX) {
                open.add(address);
            }
        }
        return why;
    }

    private void connect(
            EventLoop loop, Target target, List<InetAddress> addresses, int at, CompletableFuture<Channel> opened) {
        new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, limits.connectMs())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(new Quiet())
                .connect(new InetSocketAddress(addresses.get(at), target.port()))
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        handleConnected(connected.channel(), target, opened);
                    } else if (at + 1 < addresses.size()) {
                        connect(loop, target, addresses, at + 1, opened);
                    } else {
                        String why = "no connection to " + target.authority() + ": " + brief(connected.cause());
                        opened.completeExceptionally(Refusal.unreachable(why).asException());
                    }
                });
    }

    /** Ignores exceptions: the connection's future or its end reports them. */
    private static final class Quiet extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    private void handleConnected(Channel channel, Target target, CompletableFuture<Channel> opened) {
        if (!target.tls()) {
            complete(channel, opened);
            return;
        }
        SslHandler handler = tls.newHandler(channel.alloc(), target.host(), target.port(), limits.handshakeMs());
        channel.pipeline().addLast(handler, new Quiet());
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                complete(channel, opened);
            } else {
                channel.close();
                opened.completeExceptionally(
                        Refusal.unreachable("no TLS with " + target.authority() + ": " + brief(done.cause()))
                                .asException());
            }
        });
    }

    private static void complete(Channel channel, CompletableFuture<Channel> opened) {
        if (!opened.complete(channel)) {
            channel.close();
        }
    }

    /** The kind of a failure. Its text is left out: it may be long and quote the server. */
    private static String brief(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause != null && cause.getCause() != null && cause != cause.getCause()) {
            cause = cause.getCause();
        }
        if (cause == null) {
            return "unknown";
        }
        String text = String.valueOf(cause.getMessage()).replaceAll("[^ -~]", "?");
        return text.length() <= 200 ? text : text.substring(0, 200);
    }
}
