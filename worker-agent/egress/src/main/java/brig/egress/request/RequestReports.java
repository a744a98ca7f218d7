package brig.egress.request;

import brig.egress.policy.HostPolicy;
import brig.egress.policy.HostPort;
import brig.egress.secret.Secrets;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.AuditLine;
import brig.protocol.egress.EgressEvent;
import java.time.Clock;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Reports the requests of one worker to the audit and to people. State owned by the worker's event loop. */
public final class RequestReports {
    private static final int TOLD_MAX = 1024;

    /** A host that is reported once for each outcome. */
    private record Told(boolean refused, HostPort at) {}

    private final String spawn;
    private final String agent;
    private final Consumer<AuditLine> audit;
    private final Consumer<EgressEvent> events;
    private final Clock clock;
    private final Set<Told> told = new HashSet<>();

    /**
     * @param spawn the worker's spawn id
     * @param agent the agent profile
     * @param audit receives entries; never blocks
     * @param events receives events; never blocks
     */
    public RequestReports(
            String spawn, String agent, Consumer<AuditLine> audit, Consumer<EgressEvent> events, Clock clock) {
        this.spawn = spawn;
        this.agent = agent;
        this.audit = audit;
        this.events = events;
        this.clock = clock;
    }

    /** Audits the outcome of a request, and reports it to people where needed. */
    public void handleDecided(RequestRecord record, HostPolicy policy, Secrets secrets) {
        AuditEvent.Decided decided = record.result(secrets);
        if (record.isBlocked() || policy.policy().auditNetwork()) {
            audit.accept(AuditLine.of(clock.millis(), spawn, agent, decided));
        }
        AuditEvent.Result result = decided.result();
        EgressEvent.Request request = new EgressEvent.Request(
                result.method(),
                result.scheme(),
                result.host(),
                result.port(),
                result.path(),
                result.rule(),
                result.secrets(),
                result.status());
        switch (result.decision()) {
            // Once per host: a package manager makes thousands of requests.
            case ALLOWED -> tellOnce(new Told(false, record.at()), new EgressEvent.Allowed(request));
            case BLOCKED -> {
                if (record.isOverBudget()) {
                    return;
                }
                if (policy.isQuiet(record.at().host(), record.at().port())) {
                    tellOnce(new Told(true, record.at()), new EgressEvent.Quiet(request));
                } else {
                    events.accept(new EgressEvent.Blocked(request));
                }
            }
            case FAILED -> {}
        }
    }

    private void tellOnce(Told what, EgressEvent event) {
        if (told.size() < TOLD_MAX && told.add(what)) {
            events.accept(event);
        }
    }

    /** Handles an event that is not a request; the audit has it too. */
    public void handleNoted(EgressEvent.Noted event) {
        audit.accept(AuditLine.of(clock.millis(), spawn, agent, event));
        events.accept(event);
    }
}
