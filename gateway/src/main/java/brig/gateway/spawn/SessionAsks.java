package brig.gateway.spawn;

import brig.protocol.frame.Frame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The open asks of one session, derived from its frames. Owned by the event loop.
 *
 * <p>Decision 0149.
 */
public final class SessionAsks {
    private static final int SETTLED_MAX = 256;

    private Map<String, Frame.Ask> open = Map.of();
    /** Ids of settled asks, so that a late answer is told from an unknown one. */
    private Map<String, Boolean> settled = Map.of();

    void handle(Frame.Ask ask) {
        if (open.isEmpty()) {
            open = new LinkedHashMap<>();
        }
        open.put(ask.askId(), ask);
    }

    void handle(Frame.Answered answered) {
        if (open.containsKey(answered.askId())) {
            open.remove(answered.askId());
            if (settled.isEmpty()) {
                settled = new LinkedHashMap<>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                        return size() > SETTLED_MAX;
                    }
                };
            }
            settled.put(answered.askId(), true);
        }
    }

    /** The open asks of an adopted worker, whose frames are in the record, which is not read again. */
    void handleAdopted(List<Frame.Ask> asks) {
        asks.forEach(this::handle);
    }

    /** The stream ended: nobody waits for an answer. */
    void handleEnd() {
        open = Map.of();
    }

    /** In the order in which they were asked. */
    public List<Frame.Ask> open() {
        return List.copyOf(open.values());
    }

    /** Whether that ask is or was one of this session. */
    public boolean knows(String askId) {
        return open.containsKey(askId) || settled.containsKey(askId);
    }

    boolean isEmpty() {
        return open.isEmpty();
    }
}
