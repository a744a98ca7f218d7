package brig.egress.proxy;

import brig.egress.link.WallSocket;
import brig.egress.message.EgressCommand;
import brig.egress.policy.EgressPolicy;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All workers of the process: takes their sockets, and gives each worker an event loop. Called by the link's thread
 * only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class EgressServer implements AutoCloseable {
    private static final class Entry {
        private final WorkerEgress egress;
        private final DnsFront dns;
        private final List<Channel> listeners = new ArrayList<>();
        /** Sockets that are served only once the secrets' values are known. Owned by the link's thread. */
        private final List<WallSocket> waiting = new ArrayList<>();

        private boolean knowsSecrets;
        private volatile boolean closed;

        Entry(WorkerEgress egress) {
            this.egress = egress;
            this.dns = new DnsFront(egress);
        }
    }

    private final ProxyServices around;
    private final EventLoopGroup loops;
    private final Map<String, Entry> workers = new HashMap<>();

    public EgressServer(ProxyServices around, EventLoopGroup loops) {
        this.around = around;
        this.loops = loops;
    }

    /** Begins to serve a worker; one with secrets is served once their values are known. */
    public void register(EgressCommand.Register registration, List<WallSocket> sockets) {
        unregister(registration.worker(), () -> {});
        Entry entry = new Entry(new WorkerEgress(registration, loops.next(), around));
        entry.knowsSecrets = registration.policy().secrets().isEmpty();
        workers.put(registration.worker(), entry);
        sockets.forEach(socket -> add(registration.worker(), socket));
    }

    /** Adds a socket of a worker. */
    public void add(String worker, WallSocket socket) {
        Entry entry = workers.get(worker);
        if (entry != null && entry.knowsSecrets) {
            entry.egress.loop().execute(() -> listen(entry, socket));
        } else if (entry != null) {
            entry.waiting.add(socket);
        }
    }

    /** Updates the values of a worker's secrets. */
    public void changeSecrets(EgressCommand.Secrets change) {
        Entry entry = workers.get(change.worker());
        if (entry != null) {
            entry.egress.loop().execute(() -> entry.egress.changeSecrets(change));
            entry.knowsSecrets = true;
            entry.waiting.forEach(socket -> add(change.worker(), socket));
            entry.waiting.clear();
        }
    }

    private void listen(Entry entry, WallSocket socket) {
        Channel listener = switch (socket.role()) {
            case DNS_UDP -> new EpollDatagramChannel(socket.descriptor());
            case DNS_TCP, PROXY, MODEL, TRANSPARENT -> new EpollServerSocketChannel(socket.descriptor());
            case GRANTED -> new EpollServerDomainSocketChannel(socket.descriptor(), true);
        };
        if (entry.closed) {
            listener.unsafe().closeForcibly();
            return;
        }
        entry.listeners.add(listener);
        if (listener instanceof ServerChannel server) {
            ServerBootstrap bootstrap = new ServerBootstrap()
                    .group(entry.egress.loop(), entry.egress.loop())
                    .channelFactory(() -> server)
                    .childHandler(accept(entry, socket));
            if (socket.role() != WallSocket.Role.GRANTED) {
                bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
            }
            bootstrap.register();
        } else {
            listener.pipeline().addLast(entry.dns.udp());
            entry.egress.loop().register(listener);
        }
    }

    private static ChannelHandler accept(Entry entry, WallSocket socket) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                WorkerEgress worker = entry.egress;
                channel.pipeline().addLast(worker.inward());
                if (worker.budget().chargesBytes()) {
                    channel.pipeline().addLast(worker.meter());
                }
                WorkerEgress.Live live = switch (socket.role()) {
                    case PROXY -> HttpFront.addTo(channel.pipeline(), worker, new Destination.Named());
                    case MODEL -> HttpFront.addTo(channel.pipeline(), worker, new Destination.Models());
                    // For a redirected connection, its local address is the address that the client dialled.
                    case TRANSPARENT ->
                        ConnectionFront.addTo(channel.pipeline(), worker, (InetSocketAddress) channel.localAddress());
                    case DNS_TCP, DNS_UDP -> entry.dns.addTcp(channel.pipeline());
                    case GRANTED -> GrantedFront.addTo(channel.pipeline(), worker, entry.dns);
                };
                if (!worker.add(live)) {
                    channel.close();
                }
            }
        };
    }

    /** Replaces a worker's policy. */
    public void changePolicy(String worker, EgressPolicy policy) {
        Entry entry = workers.get(worker);
        if (entry != null) {
            entry.egress.loop().execute(() -> entry.egress.changePolicy(policy));
        }
    }

    /** A person allows a host. */
    public void allow(String worker, String host, boolean once) {
        onLoop(worker, egress -> egress.allow(host, once));
    }

    /** Refuses the requests that wait for a host; {@code rule} says why. */
    public void deny(String worker, String host, String rule) {
        onLoop(worker, egress -> egress.decisions().deny(host, rule));
    }

    /** Revokes a secret. */
    public void revoke(String worker, String secret) {
        onLoop(worker, egress -> egress.secrets().revoke(secret));
    }

    private void onLoop(String worker, Consumer<WorkerEgress> task) {
        Entry entry = workers.get(worker);
        if (entry != null) {
            entry.egress.loop().execute(() -> task.accept(entry.egress));
        }
    }

    /**
     * Removes a worker and closes all its connections.
     *
     * @param over called after the last report of its connections; at once if there is no such worker
     */
    public void unregister(String worker, Runnable over) {
        Entry entry = workers.remove(worker);
        if (entry == null) {
            over.run();
            return;
        }
        entry.closed = true;
        EventLoop loop = entry.egress.loop();
        entry.waiting.forEach(socket -> loop.execute(() -> listen(entry, socket)));
        loop.execute(() -> {
            entry.listeners.forEach(Channel::close);
            entry.egress.close();
            // A channel's end reaches its handlers in a task that is queued before this one.
            loop.execute(() -> {
                entry.egress.decisions().close();
                over.run();
            });
        });
    }

    @Override
    public void close() {
        List.copyOf(workers.keySet()).forEach(worker -> unregister(worker, () -> {}));
    }
}
