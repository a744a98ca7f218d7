package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.http.Caller;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * Lists what agents ask, over all sessions, and passes on answers. Whoever reads a session sees its asks and those of the
 * sessions that work for it; its captains and approvers answer them, whichever captain holds control.
 *
 * <p>Decision 0149.
 */
public final class AskCalls {
    private final Sessions sessions;
    private final WorkerAgent workers;

    public AskCalls(Sessions sessions, WorkerAgent workers) {
        this.sessions = sessions;
        this.workers = workers;
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
        AnswerChoice.requireOne(in.option(), in.text());
        Spawn spawn = find(caller.access(), in.askId());
        Access here = Objects.requireNonNull(sessions.reader(caller.access(), spawn), "the caller reads it");
        here.requireApprover();
        sessions.of(spawn).requireAlive();
        AnswerChoice choice = new AnswerChoice(
                in.option(),
                in.text(),
                here.captain(),
                caller.via(in.client()),
                caller.access().isAdmin());
        return workers.answer(spawn.workerId(), in.askId(), choice);
    }

    private Spawn find(Access access, String askId) {
        if (!Ids.isAskId(askId)) {
            throw BrigException.invalid("id", "must be ask_ and 24 characters 0-9 a-z");
        }
        List<Spawn> asking = sessions.all().stream()
                .filter(spawn -> spawn.asks().knows(askId) && sessions.reader(access, spawn) != null)
                .toList();
        if (asking.isEmpty()) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "there is no ask '" + askId + "'; 'brig asks' lists those that wait");
        }
        return asking.getFirst();
    }
}
