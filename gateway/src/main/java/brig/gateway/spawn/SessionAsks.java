package brig.gateway.spawn;

import brig.protocol.frame.Frame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    /** @return whether it was not known before */
    boolean handle(Frame.Ask ask) {
        if (open.isEmpty()) {
            open = new LinkedHashMap<>();
        }
        return open.put(ask.askId(), ask) == null;
    }

    /** @return what was asked; null if that was before this gateway started */
    Frame.@Nullable Ask handle(Frame.Answered answered) {
        Frame.Ask asked = open.isEmpty() ? null : open.remove(answered.askId());
        if (asked != null) {
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
        return asked;
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
