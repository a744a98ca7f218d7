package brig.loadtests.peers;

import brig.loadtests.product.Brig;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All servers that can be measured, Brig first. */
public final class Peers {
    private Peers() {}

    /**
     * All of them.
     *
     * @param profiles the folder for flame graphs of Brig; null for none
     */
    public static List<Peer> all(Path programs, @Nullable Path profiles) {
        return List.of(
                new BrigPeer("brig", Brig.home(), profiles),
                new BaselinePeer("baseline", "coalesced", programs),
                new BaselinePeer("baseline-per-frame", "per-frame", programs),
                new NatsPeer(),
                new NchanPeer(),
                new NodePeer());
    }
}
