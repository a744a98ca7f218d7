package brig.egress.proxy;

import brig.egress.filter.BudgetFilter;
import brig.egress.filter.RateFilter;
import brig.egress.policy.HostPort;
import brig.egress.rate.GateKey;
import brig.egress.rate.Pass;
import brig.egress.rate.RouteGate;
import brig.egress.request.Refusal;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The place of one request to a model at the gate of its provider. State owned by the worker's event loop. */
final class Turn implements Pass.Listener {
    /** Headers with credentials, where the agent has one of its own. */
    private static final List<String> CREDENTIALS = List.of("authorization", "x-api-key", "api-key", "x-goog-api-key");

    private final Turns turns;
    private final HostPort at;
    private final Runnable through;
    private final LongConsumer turnedAway;
    private final Pass pass;
    private boolean waits;

    private Turn(WorkerEgress worker, RouteGate gate, HostPort at, Runnable through, LongConsumer turnedAway) {
        this.turns = worker.turns();
        this.at = at;
        this.through = through;
        this.turnedAway = turnedAway;
        this.pass = gate.pass(worker, worker.loop(), this);
    }

    /**
     * The turn of a request; null if it need not wait for one.
     *
     * @param through called once when it may go out, by {@link #enter} or later
     * @param refused called instead if it waited too long
     */
    static @Nullable Turn of(
            HttpRequest request,
            Destination.Found found,
            WorkerEgress worker,
            Runnable through,
            Consumer<Refusal> refused) {
        if (found.route() == null || !BudgetFilter.isCharged(request, found.path())) {
            return null;
        }
        HostPort at = found.target().hostPort();
        GateKey key = GateKey.of(found.target().scheme(), at.host(), at.port(), credentials(request, found, worker));
        RouteGate gate = worker.around().gates().of(key);
        LongConsumer turnedAway = ms -> refused.accept(RateFilter.turnedAway(request, found.path(), ms));
        return gate == null ? null : new Turn(worker, gate, at, through, turnedAway);
    }

    private static List<String> credentials(HttpRequest request, Destination.Found found, WorkerEgress worker) {
        String secret = Objects.requireNonNull(found.route()).secret();
        if (!secret.isEmpty()) {
            return List.of(Objects.requireNonNullElse(worker.secrets().now().value(secret), ""));
        }
        List<String> values = new ArrayList<>();
        for (String name : CREDENTIALS) {
            request.headers()
                    .getAll(name)
                    .forEach(value -> values.add(worker.secrets().now().reveal(value)));
        }
        return values;
    }

    Pass pass() {
        return pass;
    }

    void enter() {
        if (pass.enter()) {
            waits = true;
            turns.begin(at);
        }
    }

    @Override
    public void handleThrough() {
        endWaiting();
        through.run();
    }

    @Override
    public void handleTurnedAway(long retryAfterMs) {
        endWaiting();
        turnedAway.accept(retryAfterMs);
    }

    /** The request is over. */
    void end() {
        endWaiting();
        pass.end();
    }

    private void endWaiting() {
        if (waits) {
            waits = false;
            turns.end();
        }
    }
}
