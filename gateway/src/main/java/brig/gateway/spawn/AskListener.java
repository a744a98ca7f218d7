package brig.gateway.spawn;

import brig.protocol.frame.Frame;
import org.jspecify.annotations.Nullable;

/** Is told what agents ask, in all sessions, and when it is settled. Called on the event loop. */
public interface AskListener {
    /** For a gateway that tells nobody. */
    AskListener NONE = new AskListener() {
        @Override
        public void handleAsk(Spawn spawn, Frame.Ask ask) {}

        @Override
        public void handleSettled(String askId, Frame.@Nullable Answered answered) {}
    };

    /** A new ask; after a restart of the gateway also one that is still open. */
    void handleAsk(Spawn spawn, Frame.Ask ask);

    /** @param answered null if the session ended first */
    void handleSettled(String askId, Frame.@Nullable Answered answered);
}
