package brig.gateway.api;

import brig.gateway.listener.Door;
import brig.gateway.session.Access;
import brig.gateway.session.Session;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a worker may reach of the outside, and who decides about it: an admin, or the captain who holds control. */
final class EgressCalls {
    static final Set<String> FIELDS = Set.of("decision", "host", "secret");
    private static final Set<String> DECISIONS = Set.of("allow", "once", "save", "deny", "revoke");
    private static final int TEXT_MAX = 300;

    private final Door door;
    private final WorkerAgent workers;

    EgressCalls(Door door, WorkerAgent workers) {
        this.door = door;
        this.workers = workers;
    }

    void show(Call call) {
        call.answer(200, show(call.access(), call.id()));
    }

    void decide(Call call) {
        call.answer(200, decide(call.access(), call.id(), call.body().only(FIELDS)));
    }

    /** @param id one of the names of the session */
    CompletionStage<Map<String, @Nullable Object>> show(Access access, String id) {
        Session session = door.sessions().find(id);
        access.in(session.spawn()).requireCaptain();
        return workers.egress(session.spawn().workerId());
    }

    /** @throws BrigException where it may not decide that */
    CompletionStage<Map<String, @Nullable Object>> decide(Access access, String id, Fields wish) {
        Session session = door.sessions().find(id);
        Access here = access.in(session.spawn());
        here.requireCaptain();
        String decision = wish.requiredText("decision");
        if (!DECISIONS.contains(decision)) {
            throw Fields.invalid("decision", "must be allow, once, save, deny or revoke");
        }
        if (!access.isAdmin()) {
            if (decision.equals("save")) {
                throw new BrigException(
                        ErrorCode.FORBIDDEN, "a policy is not of one session: only an admin changes it");
            }
            session.requireControl(here);
        }
        String about = decision.equals("revoke") ? "secret" : "host";
        String value = wish.requiredText(about);
        if (value.length() > TEXT_MAX) {
            throw Fields.invalid(about, "must have at most " + TEXT_MAX + " characters");
        }
        session.requireAlive();
        return workers.decideEgress(session.spawn().workerId(), decision, Map.of(about, value));
    }
}
