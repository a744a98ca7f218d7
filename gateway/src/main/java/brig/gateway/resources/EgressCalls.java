package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.http.Caller;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import java.util.concurrent.CompletionStage;

/**
 * Shows what a worker may reach, and passes on decisions about it by an admin or the captain who holds control.
 *
 * <p>Decision 0057.
 */
public final class EgressCalls {
    private static final int TEXT_MAX = 300;

    private final ListenerServices listeners;
    private final WorkerAgent workers;

    public EgressCalls(ListenerServices listeners, WorkerAgent workers) {
        this.listeners = listeners;
        this.workers = workers;
    }

    /** @param id any name of the session */
    public CompletionStage<EgressAnswer> show(Caller caller, String id) {
        Session session = listeners.sessions().find(id);
        caller.access().in(session.spawn()).requireCaptain();
        return workers.egress(session.spawn().workerId());
    }

    /** Decides if the request has a decision, else shows the current state. */
    public CompletionStage<? extends Record> showOrDecide(Caller caller, SpawnerRequest.Egress in) {
        EgressDecision decision = in.decision();
        return decision == null
                ? show(caller, in.id())
                : decide(caller, new HttpRequest.DecideEgress(in.id(), decision, in.host(), in.secret()));
    }

    /** @throws BrigException if the caller may not decide that */
    public CompletionStage<EgressDecided> decide(Caller caller, HttpRequest.DecideEgress in) {
        Session session = listeners.sessions().find(in.id());
        Access here = caller.access().in(session.spawn());
        here.requireCaptain();
        if (!caller.access().isAdmin()) {
            if (in.decision() == EgressDecision.SAVE) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN, "a policy is not of one session: only an admin changes it");
            }
            session.requireControl(here);
        }
        boolean isOfSecret = in.decision() == EgressDecision.REVOKE;
        String about = isOfSecret ? "secret" : "host";
        String value = isOfSecret ? in.secret() : in.host();
        if (value == null) {
            throw BrigException.invalid(about, "is missing");
        }
        if (value.length() > TEXT_MAX) {
            throw BrigException.invalid(about, "must have at most " + TEXT_MAX + " characters");
        }
        session.requireAlive();
        return workers.decideEgress(session.spawn().workerId(), in.decision(), value, here.captain(), caller.via(null));
    }
}
