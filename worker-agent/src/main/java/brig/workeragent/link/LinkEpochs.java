package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.relay.Lines;
import brig.workeragent.worker.Timers;
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
 * were lost, and their peers may be gone without a word. A link whose control connection says nothing for long is lost
 * too: agents must not wait for a reader that is not there.
 *
 * <p>Thread-safe. Decision 0157.
 */
final class LinkEpochs {
    private static final Logger LOG = LoggerFactory.getLogger(LinkEpochs.class);

    /** Three times the interval of the gateway's pings. */
    static final long SILENT_MS = 15_000;

    private final Timers timers;
    private final Runnable closed;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private long greatest;
    /** Those of the greatest epoch. */
    private final Set<SocketChannel> open = new HashSet<>();

    private long heardMs;
    private Timers.@Nullable Timer watch;

    /** @param closed told when connections were closed */
    LinkEpochs(Timers timers, Runnable closed) {
        this.timers = timers;
        this.closed = closed;
    }

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
            if (watch == null) {
                heardMs = timers.nowMs();
                watch = timers.schedule(SILENT_MS, this::look);
            }
        } finally {
            lock.unlock();
        }
        if (!lost.isEmpty()) {
            LOG.info("a new link took over epoch={} closed={}", epoch, lost.size());
            close(lost);
        }
    }

    /** A line came over a control connection of that epoch; null: it does not take part. */
    void hear(@Nullable Long epoch) {
        lock.lock();
        try {
            if (epoch != null && epoch == greatest) {
                heardMs = timers.nowMs();
            }
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        List<SocketChannel> silent = List.of();
        lock.lock();
        try {
            watch = null;
            long leftMs = heardMs + SILENT_MS - timers.nowMs();
            if (!open.isEmpty() && leftMs > 0) {
                watch = timers.schedule(leftMs, this::look);
            } else {
                silent = new ArrayList<>(open);
                open.clear();
            }
        } finally {
            lock.unlock();
        }
        if (!silent.isEmpty()) {
            LOG.info("a link was silent for {} s and counts as lost closed={}", SILENT_MS / 1000, silent.size());
            close(silent);
        }
    }

    private void close(List<SocketChannel> channels) {
        channels.forEach(Lines::close);
        closed.run();
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
