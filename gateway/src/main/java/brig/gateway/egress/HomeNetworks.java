package brig.gateway.egress;

import brig.gateway.time.Timers;
import brig.gateway.worker.HandoverAgent;
import brig.gateway.worker.NetworkAgent;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.spawn.SpawnRequest;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Other hosts, whose workers have profiles, policies and secrets of home, or networks too. Owned by the event loop.
 *
 * <p>Decisions 0160, 0169.
 */
public final class HomeNetworks implements AutoCloseable {
    /**
     * The worker-agent of a host.
     *
     * @param socket where it listens
     */
    public record Far(NetworkAgent agent, Reach reach, Path socket) {}

    private record Host(HomeServed served, WallStreams streams) {}

    private final EventLoop loop;
    private final Timers timers;
    private final NetworkAgent home;
    private final DomainSocketAddress homeSocket;
    private final Function<String, @Nullable SpawnRequest> requests;
    /** All hosts. */
    private final Map<String, HandoverAgent> agents = new HashMap<>();
    /** Those whose networks are served at home. */
    private final Map<String, Host> hosts = new HashMap<>();

    private final HomeEvents events;
    private boolean listening;

    /**
     * @param homeSocket where the worker-agent of this host listens
     * @param requests what was asked for a worker; null if nobody knows it
     */
    public HomeNetworks(
            EventLoop loop,
            Timers timers,
            NetworkAgent home,
            Path homeSocket,
            Function<String, @Nullable SpawnRequest> requests) {
        this.loop = loop;
        this.timers = timers;
        this.home = home;
        this.homeSocket = new DomainSocketAddress(homeSocket.toString());
        this.requests = requests;
        this.events = new HomeEvents(
                loop,
                timers,
                this.homeSocket,
                happened -> hosts.values().forEach(host -> host.served().handle(happened)));
    }

    /**
     * Serves that host from now on.
     *
     * @param atHome whether the networks of its workers are served at home
     * @return its worker-agent, to be used instead
     */
    public WorkerAgent serve(String name, Far far, boolean atHome) {
        forget(name);
        HandoverAgent agent = new HandoverAgent(far.agent(), home, !atHome, requests, timers);
        agents.put(name, agent);
        agent.open();
        return atHome ? serveNetworks(name, agent, far) : agent;
    }

    private WorkerAgent serveNetworks(String name, NetworkAgent agent, Far far) {
        HomeServed served = new HomeServed(agent, home, requests);
        DomainSocketAddress socket = new DomainSocketAddress(far.socket().toString());
        WallStreams streams =
                new WallStreams(loop, timers, new WallStreams.Ends(name, socket, far.reach(), homeSocket), served);
        hosts.put(name, new Host(served, streams));
        served.adopted().thenRun(streams::open);
        if (!listening) {
            listening = true;
            events.open();
        }
        return served;
    }

    /** There is no such host any more. */
    public void forget(String name) {
        HandoverAgent agent = agents.remove(name);
        if (agent != null) {
            agent.close();
        }
        Host gone = hosts.remove(name);
        if (gone != null) {
            gone.streams().close();
        }
    }

    /** The worker-agent at home answers; it may be a new one. */
    public void handleHomeUp() {
        hosts.values().forEach(host -> host.served().handleHomeUp());
    }

    @Override
    public void close() {
        events.close();
        agents.values().forEach(HandoverAgent::close);
        hosts.values().forEach(host -> host.streams().close());
    }
}
