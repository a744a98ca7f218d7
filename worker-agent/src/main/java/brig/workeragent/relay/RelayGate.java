package brig.workeragent.relay;

import brig.egress.link.WallSocket;
import brig.protocol.control.EgressGrant;
import brig.workeragent.wall.EgressGate;
import io.netty.channel.EventLoop;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Serves the sockets of one worker's walls over connections of the gateway. */
final class RelayGate implements EgressGate {
    private final EgressGrant grant;
    private final RelayAuthorities authorities;
    private final WaitingLinks links;
    private final EventLoop loop;

    RelayGate(EgressGrant grant, RelayAuthorities authorities, WaitingLinks links, EventLoop loop) {
        this.grant = grant;
        this.authorities = authorities;
        this.links = links;
        this.loop = loop;
    }

    @Override
    public Path authority() {
        return authorities.fileOf(grant.authority());
    }

    @Override
    public Map<String, String> placeholders(Set<String> secrets) {
        Map<String, String> placeholders = new TreeMap<>(grant.placeholders());
        placeholders.keySet().retainAll(secrets);
        return placeholders;
    }

    @Override
    public Handle take(Registration taking) {
        RelayedWall wall = new RelayedWall(taking.spawnId(), links, loop);
        for (WallSocket socket : taking.network().take()) {
            wall.listen(socket);
        }
        return () -> {
            CompletableFuture<Void> ended = wall.end();
            return new End(ended, ended);
        };
    }
}
