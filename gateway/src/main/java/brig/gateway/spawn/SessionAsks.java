package brig.gateway.spawn;

import brig.protocol.NewestMap;
import brig.protocol.api.AskList;
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

    private final Spawn spawn;
    private List<AskListener> listeners = List.of();
    private Map<String, Frame.Ask> open = Map.of();
    /** Ids of settled asks, so that a late answer is told from an unknown one. */
    private Map<String, Boolean> settled = Map.of();

    SessionAsks(Spawn spawn) {
        this.spawn = spawn;
    }

    /** Tells those listeners what changes; the list may change. */
    void tell(List<AskListener> all) {
        listeners = all;
    }

    void handle(Frame.Ask ask) {
        if (open.isEmpty()) {
            open = new LinkedHashMap<>();
        }
        // An adopted worker's ask may come a second time, as a frame.
        if (open.putIfAbsent(ask.askId(), ask) == null) {
            List.copyOf(listeners).forEach(listener -> listener.handleAsk(spawn, ask));
            spawn.handleChanged();
        }
    }

    /** @return what was asked; null if that was before this gateway started */
    Frame.@Nullable Ask handle(Frame.Answered answered) {
        Frame.Ask asked = open.isEmpty() ? null : open.remove(answered.askId());
        if (asked != null) {
            if (settled.isEmpty()) {
                settled = new NewestMap<>(SETTLED_MAX);
            }
            settled.put(answered.askId(), true);
            List.copyOf(listeners).forEach(listener -> listener.handleSettled(spawn, answered));
            spawn.handleChanged();
        }
        return asked;
    }

    /** How the open asks are settled when the session ends: nobody waits for an answer. */
    List<Frame.Answered> ends() {
        return open.keySet().stream()
                .map(askId -> new Frame.Answered(askId, null, Frame.Answered.Reason.ENDED))
                .toList();
    }

    /** In the order in which they were asked. */
    public List<AskList.View> open() {
        return open.values().stream().map(this::view).toList();
    }

    /** An ask of this session, for clients. */
    public AskList.View view(Frame.Ask ask) {
        return new AskList.View(spawn.spawnId(), spawn.taskId(), spawn.sessionId(), spawn.agent(), spawn.host(), ask);
    }

    /** The open ask with that id; null if there is none. */
    public Frame.@Nullable Ask find(String askId) {
        return open.get(askId);
    }

    /** Whether that ask is or was one of this session. */
    public boolean knows(String askId) {
        return open.containsKey(askId) || settled.containsKey(askId);
    }

    int size() {
        return open.size();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }
}
