package brig.workeragent.egress;

import brig.egress.policy.EgressPolicy;
import brig.workeragent.egress.confinement.NameFiles;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks each second, while any worker has sockets, what may change on the host: policy files, sources of secrets, and
 * the host's name servers. Owned by the thread of {@link EgressThread}.
 */
final class PolicyWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyWatcher.class);
    private static final long EVERY_MS = 1_000;

    private final EgressThread thread;
    private final SocketRegistrations registrations;
    private final Function<String, @Nullable EgressSession> sessions;
    private final NameFiles names;
    private boolean watching;

    /** @param sessions by spawn id */
    PolicyWatcher(
            EgressThread thread,
            SocketRegistrations registrations,
            Function<String, @Nullable EgressSession> sessions,
            NameFiles names) {
        this.thread = thread;
        this.registrations = registrations;
        this.sessions = sessions;
        this.names = names;
    }

    /** Continues while there are registrations. */
    void watch() {
        if (!watching) {
            watching = true;
            thread.later(this::check, EVERY_MS);
        }
    }

    private void check() {
        registrations.forEach(this::checkPolicy);
        registrations.forEach(registrations::readSecrets);
        refreshNames();
        watching = !registrations.isEmpty();
        if (watching) {
            thread.later(this::check, EVERY_MS);
        }
    }

    private void checkPolicy(SocketRegistration registration) {
        EgressSession session = sessions.apply(registration.what.spawnId());
        if (session != null) {
            EgressPolicy now = registration.policyNow(session);
            if (!now.equals(registration.policy)) {
                registrations.changePolicy(registration, now);
            }
        }
    }

    /** The host may have changed its network. */
    private void refreshNames() {
        try {
            names.refresh();
        } catch (IOException e) {
            LOG.warn("brig-egress keeps the previous name servers: {}", e.toString());
        }
    }
}
