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
import brig.protocol.frame.Frame;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists what agents ask, over all sessions, and passes on answers. Whoever reads a session sees its asks; its captains
 * and approvers answer them, whichever captain holds control.
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

    public AskList list(Caller caller, SpawnerRequest.Asks in) {
        return new AskList(asked(caller.access(), in.tree())
                .flatMap(spawn -> spawn.asks().open().stream().map(ask -> view(spawn, ask)))
                .sorted(Comparator.comparing(view -> view.ask().deadline()))
                .toList());
    }

    private Stream<Spawn> asked(Access access, @Nullable String only) {
        if (only == null) {
            return sessions.all().stream().filter(access::opens);
        }
        Spawn spawn = sessions.find(only).spawn();
        access.in(spawn);
        return Stream.of(spawn);
    }

    private static AskList.View view(Spawn spawn, Frame.Ask ask) {
        return new AskList.View(spawn.spawnId(), spawn.taskId(), spawn.sessionId(), spawn.agent(), ask);
    }

    /**
     * Passes on an answer.
     *
     * @throws BrigException {@code NOT_FOUND}, also for an ask of a session that the caller may not read
     */
    public CompletionStage<AskAnswer> answer(Caller caller, SpawnerRequest.AnswerAsk in) {
        AnswerChoice.requireOne(in.option(), in.text());
        Spawn spawn = find(caller.access(), in.askId());
        Access here = caller.access().in(spawn);
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
                .filter(spawn -> spawn.asks().knows(askId) && access.opens(spawn))
                .toList();
        if (asking.isEmpty()) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "there is no ask '" + askId + "'; 'brig asks' lists those that wait");
        }
        return asking.getFirst();
    }
}
