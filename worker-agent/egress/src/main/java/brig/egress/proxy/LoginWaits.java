package brig.egress.proxy;

import brig.egress.message.EgressCommand;
import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPolicy;
import brig.egress.secret.Secrets;
import brig.egress.secret.WorkerSecrets;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one worker that wait for a login of a model route, because it has no token or its vendor refused that. The
 * worker-agent is told, and asks a person; whatever it answers, each wait ends once. State owned by the worker's event
 * loop.
 *
 * <p>Decision 0200.
 */
final class LoginWaits {
    static final int WAITING_MAX = 64;
    /** How long the worker-agent has to say whether a person is asked. */
    private static final long ANSWER_MS = 30_000;

    /** Tells the worker-agent. */
    interface Report {
        void handle(String secret, boolean byVendor, int change);
    }

    /** Learns the end of a wait. */
    interface Waiter {
        /** @param isThere whether the login has a token, which may be the same as before */
        void handleOver(boolean isThere);
    }

    /** @param report the number of the report that must be answered first */
    private record Wait(String secret, int report, Waiter waiter) {}

    private final boolean asks;
    private final EventLoop loop;
    private final Report report;
    private final Map<Exchange, Wait> waits = new LinkedHashMap<>();
    /** Secrets whose login a person is asked about. */
    private Set<String> asked = Set.of();

    private int changes;
    private int reports;

    /** @param asks whether a person is asked at all; otherwise nothing waits */
    LoginWaits(boolean asks, EventLoop loop, Report report) {
        this.asks = asks;
        this.loop = loop;
        this.report = report;
    }

    /** How often the values of the worker's secrets were set. */
    int changes() {
        return changes;
    }

    /** Waits, if the login of the request's route has no token. */
    boolean addMissing(
            Exchange owner, Destination.Found found, HostPolicy policy, WorkerSecrets secrets, Waiter waiter) {
        String secret = login(found, policy);
        return secret != null && secrets.now().value(secret) == null && add(owner, secret, false, changes, waiter);
    }

    /**
     * Waits, if the request carried a login, which its vendor refused.
     *
     * @param change {@link #changes} when it was made
     */
    boolean addRefused(Exchange owner, Destination.Found found, HostPolicy policy, int change, Waiter waiter) {
        String secret = login(found, policy);
        return secret != null && add(owner, secret, true, change, waiter);
    }

    private @Nullable String login(Destination.Found found, HostPolicy policy) {
        EgressPolicy.ModelRoute route = found.route();
        EgressPolicy.Secret secret =
                !asks || route == null ? null : policy.policy().secrets().get(route.secret());
        return route == null || secret == null || secret.login().isEmpty() ? null : route.secret();
    }

    private boolean add(Exchange owner, String secret, boolean byVendor, int change, Waiter waiter) {
        if (waits.size() >= WAITING_MAX) {
            return false;
        }
        boolean isKnown = asked.contains(secret);
        Wait wait = new Wait(secret, isKnown ? reports : ++reports, waiter);
        waits.put(owner, wait);
        if (!isKnown) {
            report.handle(secret, byVendor, change);
            var unused = loop.schedule(() -> handleSilence(owner, wait), ANSWER_MS, TimeUnit.MILLISECONDS);
        }
        return true;
    }

    /** The report was lost, or nobody answers it. */
    private void handleSilence(Exchange owner, Wait wait) {
        if (!asked.contains(wait.secret()) && waits.remove(owner, wait)) {
            wait.waiter().handleOver(false);
        }
    }

    /** The request does not wait any more. */
    void remove(Exchange owner) {
        waits.remove(owner);
    }

    /** The worker-agent answered, or the values changed. */
    void handleChange(Secrets now, EgressCommand.Secrets change) {
        changes++;
        asked = Set.copyOf(change.asked());
        List<Wait> over = new ArrayList<>();
        waits.values()
                .removeIf(wait -> wait.report() <= change.heard() && !asked.contains(wait.secret()) && over.add(wait));
        over.forEach(wait -> wait.waiter().handleOver(now.value(wait.secret()) != null));
    }
}
