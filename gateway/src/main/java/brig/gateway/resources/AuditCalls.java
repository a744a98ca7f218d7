package brig.gateway.resources;

import brig.gateway.audit.AuditTrail;
import brig.gateway.auth.Access;
import brig.gateway.http.Call;
import brig.gateway.listener.ListenerServices;
import brig.gateway.spawn.Spawn;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.egress.AuditEntry;
import brig.protocol.json.Fields;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Questions to the audit: an admin sees everything, a captain what its own sessions did. */
public final class AuditCalls {
    public static final Set<String> FIELDS =
            Set.of("spawn_id", "host", "decision", "since", "until", "limit", "cursor", "after");
    private static final Set<String> DECISIONS = Set.of("allowed", "blocked", "failed");
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1_000;
    private static final long SEQ_MAX = 9_007_199_254_740_991L;

    private final ListenerServices listeners;
    private final AuditTrail trail;

    public AuditCalls(ListenerServices listeners, AuditTrail trail) {
        this.listeners = listeners;
        this.trail = trail;
    }

    public void list(Call call) {
        Map<String, @Nullable Object> options = new HashMap<>();
        for (String name : FIELDS) {
            boolean number = !Set.of("spawn_id", "host", "decision").contains(name);
            if (call.text(name) != null) {
                options.put(name, number ? (Object) call.number(name, 0, SEQ_MAX, 0) : call.text(name));
            }
        }
        call.answer(200, list(call.access(), new Fields(options)));
    }

    /** @throws BrigException where it may not ask that */
    public CompletionStage<Map<String, ?>> list(Access access, Fields options) {
        String decision = options.text("decision");
        if (decision != null && !DECISIONS.contains(decision)) {
            throw Fields.invalid("decision", "must be allowed, blocked or failed");
        }
        int limit = (int) options.number("limit", 1, PAGE_MAX, PAGE);
        long before = options.number("cursor", 1, SEQ_MAX, 0);
        long after = options.number("after", 0, SEQ_MAX, -1);
        if (before > 0 && after >= 0) {
            throw Fields.invalid("after", "goes on at the other end than cursor: only one of them");
        }
        AuditTrail.Query query = new AuditTrail.Query(
                workers(access, options.text("spawn_id")),
                options.text("host"),
                decision,
                options.number("since", 0, SEQ_MAX, 0),
                options.number("until", 0, SEQ_MAX, 0),
                before,
                after,
                limit + 1);
        return trail.find(query).thenApply(answer -> page(answer, limit));
    }

    private static Map<String, ?> page(AuditTrail.Answer answer, int limit) {
        List<AuditEntry> found = answer.page().entries();
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put("entries", found.stream().limit(limit).toList());
        page.put("last_seq", answer.page().lastSeq());
        page.put("complete", answer.complete());
        if (found.size() > limit) {
            page.put("next", found.get(limit - 1).seq());
        }
        return page;
    }

    /** The workers that it may ask about; null for all. */
    private @Nullable List<String> workers(Access access, @Nullable String id) {
        if (id != null) {
            // What was recorded of a spawn outlives what is known of it here.
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
        throw new BrigException(
                ErrorCode.FORBIDDEN,
                access.role() == Role.WATCHER
                        ? "a watcher only listens"
                        : "the token reaches one session: name it by spawn_id");
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
