package brig.gateway.resources;

import brig.gateway.audit.AuditTrail;
import brig.gateway.audit.Costs;
import brig.gateway.auth.Access;
import brig.gateway.http.Caller;
import brig.gateway.listener.ListenerServices;
import brig.gateway.spawn.Spawn;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.api.AuditPage;
import brig.protocol.api.BudgetView;
import brig.protocol.api.CostList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.egress.AuditEntry;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Queries of the audit, and what requests to models cost: an admin sees everything, a captain the entries of its own sessions. */
public final class AuditCalls {
    private static final int PAGE = 100;

    private final ListenerServices listeners;
    private final AuditTrail trail;

    public AuditCalls(ListenerServices listeners, AuditTrail trail) {
        this.listeners = listeners;
        this.trail = trail;
    }

    /** @throws BrigException if the caller may not ask that */
    public CompletionStage<AuditPage> list(Caller caller, SpawnerRequest.Audit in) {
        if (in.cursor() > 0 && in.after() != null) {
            throw BrigException.invalid("after", "goes on at the other end than cursor: only one of them");
        }
        int limit = in.limit() == 0 ? PAGE : in.limit();
        AuditTrail.Query query = new AuditTrail.Query(
                workers(caller.access(), in.spawnId()),
                in.host(),
                in.decision(),
                in.since(),
                in.until(),
                in.cursor(),
                in.after() == null ? -1 : in.after(),
                limit + 1);
        return trail.find(query).thenApply(answer -> page(answer, limit));
    }

    /** @throws BrigException if the caller may not ask that */
    public CompletionStage<CostList> costs(Caller caller, SpawnerRequest.Costs in) {
        Map<String, Spawn> byWorker = new HashMap<>();
        listeners.sessions().all().forEach(spawn -> byWorker.put(spawn.workerId(), spawn));
        CostList.By by = in.by() == null ? CostList.By.AGENT : in.by();
        return trail.costs(workers(caller.access(), in.spawnId()), in.since(), in.until(), (sums, complete) -> {
            CostList list = Costs.list(
                    sums,
                    by,
                    worker ->
                            byWorker.containsKey(worker) ? byWorker.get(worker).captain() : "",
                    worker ->
                            byWorker.containsKey(worker) ? byWorker.get(worker).spawnId() : worker,
                    complete);
            return by == CostList.By.SESSION ? list.with(budgets(byWorker.values())) : list;
        });
    }

    private static Map<String, BudgetView> budgets(Collection<Spawn> spawns) {
        Map<String, BudgetView> budgets = new HashMap<>();
        for (Spawn spawn : spawns) {
            BudgetView budget = spawn.tree().budget();
            if (budget != null) {
                budgets.put(spawn.spawnId(), budget);
            }
        }
        return budgets;
    }

    private static AuditPage page(AuditTrail.Answer answer, int limit) {
        List<AuditEntry> found = answer.page().entries();
        return new AuditPage(
                found.stream().limit(limit).toList(),
                answer.page().lastSeq(),
                answer.complete(),
                found.size() > limit ? found.get(limit - 1).seq() : null);
    }

    /** The workers visible to the caller; null for all. */
    private @Nullable List<String> workers(Access access, @Nullable String id) {
        if (id != null) {
            // The audit outlives the gateway's knowledge of a spawn.
            return List.of(access.isAdmin() ? workerId(listeners.sessions().spawnId(id)) : ofSession(access, id));
        }
        if (access.isAdmin()) {
            return null;
        }
        if (access.role() == Role.CAPTAIN) {
            String own = access.spawnId();
            return own != null
                    ? List.of(ofSession(access, own))
                    : listeners.sessions().all().stream()
                            .filter(spawn -> spawn.captain().equals(access.captain()))
                            .map(Spawn::workerId)
                            .toList();
        }
        if (access.role() != null) {
            access.requireCaptain();
        }
        throw new BrigException(ErrorCode.FORBIDDEN, "the token reaches one session: name it by spawn_id");
    }

    private String workerId(String spawnId) {
        return listeners.sessions().all().stream()
                .filter(spawn -> spawn.spawnId().equals(spawnId))
                .map(Spawn::workerId)
                .findFirst()
                .orElse(spawnId);
    }

    private String ofSession(Access access, String id) {
        Spawn spawn = listeners.sessions().find(id).spawn();
        access.in(spawn).requireCaptain();
        return spawn.workerId();
    }
}
