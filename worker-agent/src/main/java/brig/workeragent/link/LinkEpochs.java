package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.relay.Lines;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which links of a gateway count: of connections with an epoch, those of the greatest. The others belong to links that
 * were lost, and their peers may be gone without a word.
 *
 * <p>Thread-safe. Decision 0157.
 */
final class LinkEpochs {
    private static final Logger LOG = LoggerFactory.getLogger(LinkEpochs.class);

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private long greatest;
    /** Those of the greatest epoch. */
    private final Set<SocketChannel> open = new HashSet<>();

    /**
     * A connection says its epoch. Closes all of smaller ones.
     *
     * @param epoch null: the connection does not take part
     * @throws BrigException {@code LINK_FENCED}
     */
    void enter(SocketChannel channel, @Nullable Long epoch) {
        if (epoch == null) {
            return;
        }
        List<SocketChannel> lost = List.of();
        lock.lock();
        try {
            if (epoch < greatest) {
                throw new BrigException(
                        ErrorCode.LINK_FENCED, "the link of epoch " + greatest + " took over from that of " + epoch);
            }
            if (epoch > greatest) {
                greatest = epoch;
                lost = new ArrayList<>(open);
                open.clear();
            }
            open.add(channel);
        } finally {
            lock.unlock();
        }
        if (!lost.isEmpty()) {
            LOG.info("a new link took over epoch={} closed={}", epoch, lost.size());
            lost.forEach(Lines::close);
        }
    }

    /** A connection ended. */
    void leave(SocketChannel channel) {
        lock.lock();
        try {
            open.remove(channel);
        } finally {
            lock.unlock();
        }
    }
}
