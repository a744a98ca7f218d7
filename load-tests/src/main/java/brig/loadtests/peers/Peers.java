package brig.loadtests.peers;

import java.nio.file.Path;
import java.util.List;

/** All servers that can be measured, Brig first. */
public final class Peers {
    private Peers() {}

    public static List<Peer> all(Path programs) {
        return List.of(
                new BrigPeer(),
                new BaselinePeer("baseline", "coalesced", programs),
                new BaselinePeer("baseline-per-frame", "per-frame", programs),
                new NatsPeer(),
                new NchanPeer(),
                new NodePeer());
    }
}
