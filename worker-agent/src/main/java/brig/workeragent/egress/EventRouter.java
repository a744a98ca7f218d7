package brig.workeragent.egress;

import brig.egress.message.EgressReport;
import brig.egress.policy.HostPort;
import brig.protocol.egress.EgressEvent;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes each event of brig-egress to its worker's session, and logs refusals. */
final class EventRouter {
    private static final Logger LOG = LoggerFactory.getLogger(EventRouter.class);

    private final Function<String, @Nullable EgressSession> sessions;

    /** @param sessions by spawn id */
    EventRouter(Function<String, @Nullable EgressSession> sessions) {
        this.sessions = sessions;
    }

    void handle(EgressReport.Event report) {
        // An agent with a process per message has many registrations; one may end before its last event is read.
        String spawn = SocketRegistration.spawnOf(report.worker());
        log(report.event(), spawn);
        EgressSession session = sessions.apply(spawn);
        if (session != null) {
            session.listener.handleEvent(report.event());
        }
    }

    private static void log(EgressEvent event, String spawn) {
        if (event instanceof EgressEvent.Quiet quiet) {
            LOG.info(
                    "refused, as the policy's quietHosts expect: {} spawn_id={}",
                    quiet.request().host(),
                    spawn);
        } else if (event instanceof EgressEvent.Blocked blocked) {
            EgressEvent.Request request = blocked.request();
            LOG.warn(
                    "BLOCKED: {} {}{}{} spawn_id={} ({})",
                    request.method(),
                    request.scheme().isEmpty() ? "" : request.scheme() + "://",
                    new HostPort(request.host(), request.port()),
                    request.path(),
                    spawn,
                    request.rule());
        }
    }
}
