package brig.gateway.resources;

import brig.gateway.http.Caller;
import brig.gateway.session.Sessions;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AskAnswer;
import brig.protocol.frame.CaptainLine;
import java.util.concurrent.CompletionStage;

/**
 * Lists what agents ask, over all sessions, and passes on answers. Whoever reads a session sees its asks and those of the
 * sessions that work for it; its captains and approvers answer them, whichever captain holds control.
 *
 * <p>Decision 0149.
 */
public final class AskCalls {
    private final Sessions sessions;

    public AskCalls(Sessions sessions) {
        this.sessions = sessions;
    }

    /** Lists the open asks. */
    public AskList list(Caller caller, SpawnerRequest.Asks in) {
        return sessions.asks(caller.access(), in.tree());
    }

    /**
     * Passes on an answer.
     *
     * @throws BrigException {@code NOT_FOUND}, also for an ask of a session that the caller may not read
     */
    public CompletionStage<AskAnswer> answer(Caller caller, SpawnerRequest.AnswerAsk in) {
        if (!Ids.isAskId(in.askId())) {
            throw BrigException.invalid("id", "must be ask_ and 24 characters 0-9 a-z");
        }
        CaptainLine.AnswerAsk answer = new CaptainLine.AnswerAsk(in.askId(), in.option(), in.text());
        return sessions.answer(caller.access(), answer, caller.via(in.client()));
    }
}
