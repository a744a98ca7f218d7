package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.http.Call;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.json.Fields;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * What a worker may reach of the outside, and who decides about it: an admin, or the captain who holds control.
 *
 * <p>Decision 0057.
 */
public final class EgressCalls {
    public static final Set<String> FIELDS = Set.of("decision", "host", "secret");
    private static final int TEXT_MAX = 300;

    private final ListenerServices listeners;
    private final WorkerAgent workers;

    public EgressCalls(ListenerServices listeners, WorkerAgent workers) {
        this.listeners = listeners;
        this.workers = workers;
    }

    public void show(Call call) {
        call.answerWith(200, show(call.access(), call.id()));
    }

    public void decide(Call call) {
        call.answerWith(200, decide(call.access(), call.id(), call.body().only(FIELDS)));
    }

    /** @param id one of the names of the session */
    public CompletionStage<EgressAnswer> show(Access access, String id) {
        Session session = listeners.sessions().find(id);
        access.in(session.spawn()).requireCaptain();
        return workers.egress(session.spawn().workerId());
    }

    /** @throws BrigException where it may not decide that */
    public CompletionStage<EgressDecided> decide(Access access, String id, Fields options) {
        Session session = listeners.sessions().find(id);
        Access here = access.in(session.spawn());
        here.requireCaptain();
        EgressDecision decision = decision(options.requiredText("decision"));
        if (!access.isAdmin()) {
            if (decision == EgressDecision.SAVE) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN, "a policy is not of one session: only an admin changes it");
            }
            session.requireControl(here);
        }
        String about = decision == EgressDecision.REVOKE ? "secret" : "host";
        String value = options.requiredText(about);
        if (value.length() > TEXT_MAX) {
            throw Fields.invalid(about, "must have at most " + TEXT_MAX + " characters");
        }
        session.requireAlive();
        return workers.decideEgress(session.spawn().workerId(), decision, value);
    }

    private static EgressDecision decision(String name) {
        for (EgressDecision decision : EgressDecision.values()) {
            if (decision.name().toLowerCase(Locale.ROOT).equals(name)) {
                return decision;
            }
        }
        throw Fields.invalid("decision", "must be allow, once, save, deny or revoke");
    }
}
