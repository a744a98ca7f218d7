package brig.workeragent.grant;

import brig.protocol.control.EgressHappened;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happened to networks that are served for other hosts, until a gateway reads it. An agent can cause any number of
 * events, so those without room are lost; the audit has them. Thread-safe.
 */
public final class GrantEvents {
    private static final Logger LOG = LoggerFactory.getLogger(GrantEvents.class);
    static final int EVENTS_MAX = 4096;

    private final BlockingQueue<EgressHappened> queue = new LinkedBlockingQueue<>(EVENTS_MAX);

    /** Never blocks. */
    void offer(EgressHappened happened) {
        if (!queue.offer(happened)) {
            LOG.debug("no gateway reads events: one is lost spawn_id={}", happened.spawnId());
        }
    }

    /** The oldest; waits for one. */
    public EgressHappened take() throws InterruptedException {
        return queue.take();
    }
}
