package brig.workeragent.bubblewrap;

import brig.egress.link.WallSocket;
import brig.egress.link.WallSocket.Role;
import brig.egress.policy.EgressPolicy;
import brig.workeragent.sandbox.NetworkPlan;
import brig.workeragent.sandbox.NetworkPlan.Listener;
import brig.workeragent.sandbox.WalledNetwork;
import brig.workeragent.wall.WallNetwork;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sockets of a process of {@code brig.workeragent.sandbox}, with their roles. */
final class SandboxNetwork implements WallNetwork {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String EVERY_ADDRESS = "0.0.0.0";

    /** A requested socket. */
    private record Wanted(Role role, int port) {
        Listener listener() {
            String address = role == Role.TRANSPARENT ? EVERY_ADDRESS : LOOPBACK;
            return new Listener(role == Role.DNS_UDP, address, port);
        }
    }

    private final WalledNetwork network;
    private final List<WallSocket> sockets = new ArrayList<>();

    SandboxNetwork(WalledNetwork network, EgressPolicy policy) {
        this.network = network;
        List<Wanted> wanted = wanted(policy);
        for (int i = 0; i < network.listeners().size(); i++) {
            sockets.add(new WallSocket(
                    wanted.get(i).role(),
                    wanted.get(i).port(),
                    network.listeners().get(i)));
        }
    }

    /** @throws IllegalArgumentException if the policy names more ports than a wall can listen to */
    static NetworkPlan plan(EgressPolicy policy, Path authority) {
        return new NetworkPlan(wanted(policy).stream().map(Wanted::listener).toList(), authority);
    }

    private static List<Wanted> wanted(EgressPolicy policy) {
        List<Wanted> wanted = new ArrayList<>(List.of(
                new Wanted(Role.PROXY, WallSocket.PROXY_PORT),
                new Wanted(Role.MODEL, WallSocket.MODEL_PORT),
                new Wanted(Role.DNS_UDP, WallSocket.DNS_PORT),
                new Wanted(Role.DNS_TCP, WallSocket.DNS_PORT)));
        // A listener on every address would take these ports from those above.
        List<Integer> own = wanted.stream().map(Wanted::port).distinct().toList();
        policy.ports().stream()
                .filter(port -> !own.contains(port))
                .forEach(port -> wanted.add(new Wanted(Role.TRANSPARENT, port)));
        return wanted;
    }

    @Override
    public List<WallSocket> sockets() {
        return List.copyOf(sockets);
    }

    @Override
    public List<WallSocket> take() {
        network.release();
        return sockets();
    }

    @Override
    public CompletableFuture<WallSocket> listen(int port) {
        return network.listen(port).thenApply(descriptor -> new WallSocket(Role.TRANSPARENT, port, descriptor));
    }

    @Override
    public void close() {
        network.close();
    }
}
