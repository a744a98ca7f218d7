package brig.gateway.spawn;

import brig.protocol.frame.Frame;

/** Is told what agents ask, in all sessions, and when it is settled. Called on the event loop. */
public interface AskListener {
    /** A new ask; after a restart of the gateway also one that is still open. */
    void handleAsk(Spawn spawn, Frame.Ask ask);

    /** Its end, at the latest that of the session. */
    void handleSettled(Spawn spawn, Frame.Answered answered);
}
