package brig.gateway.worker;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.ControlRequest.Check;
import brig.protocol.control.Done;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TransferRequest;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.spawn.SpawnRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker-agent of another host. What a worker runs with comes from home, in bytes that the gateway does not read: at
 * its start, and again while it runs if that host serves its network. Owned by the event loop.
 *
 * <p>Decision 0169.
 */
public final class HandoverAgent extends ForwardingAgent implements NetworkAgent, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HandoverAgent.class);
    /** How soon a changed policy or secret of home counts there. */
    static final long AGAIN_MS = 60_000;

    private final NetworkAgent home;
    private final boolean network;
    private final Function<String, @Nullable SpawnRequest> requests;
    private final Timers timers;
    private Timers.Timer again = () -> {};

    /**
     * @param far the worker-agent of the host
     * @param home that of this host
     * @param network whether the host serves networks: then it gets secrets
     * @param requests what was asked for a worker of that host; null if there is none of that id
     */
    public HandoverAgent(
            NetworkAgent far,
            NetworkAgent home,
            boolean network,
            Function<String, @Nullable SpawnRequest> requests,
            Timers timers) {
        super(far);
        this.home = home;
        this.network = network;
        this.requests = requests;
        this.timers = timers;
    }

    /** Keeps rules and secrets there as they are at home. */
    public void open() {
        if (network) {
            again = timers.after(AGAIN_MS, () -> {
                var _ = list();
                open();
            });
        }
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return far.check(request, asker, Check.Part.PLACE)
                .thenCombine(home.check(request, asker, Check.Part.HANDOVER), (there, here) -> null);
    }

    /** The spawn waits there for what is handed over, so the two go at once. */
    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        return offer(spawnId, request).thenCompose(offer -> {
            bring(spawnId, offer).whenComplete((done, failure) -> {
                if (failure != null) {
                    log.warn(
                            "a handover failed spawn_id={}: {}",
                            spawnId,
                            Reason.cause(failure).getMessage());
                }
            });
            return far.spawn(spawnId, request, asker, with.handedOver());
        });
    }

    private record Offer(Transfer from, long bytes) {}

    private CompletionStage<Offer> offer(String spawnId, SpawnRequest request) {
        return home.transfer().thenCompose(from -> {
            from.send(new TransferRequest.HandOver(spawnId, request.withoutPrompt(), network));
            return from.answer(TransferRequest.Outgoing.class)
                    .thenApply(outgoing -> new Offer(from, outgoing.bytes()))
                    .whenComplete((offer, failure) -> {
                        if (failure != null) {
                            from.close(Transfer.over());
                        }
                    });
        });
    }

    private CompletionStage<Done> bring(String spawnId, Offer offer) {
        return far.transfer()
                .thenCompose(to -> {
                    to.send(new TransferRequest.TakeOver(spawnId, offer.bytes()));
                    return offer.from()
                            .relay(to, offer.bytes(), count -> {}, Done.class)
                            .whenComplete((done, failure) -> to.close(Transfer.over()));
                })
                .whenComplete((done, failure) -> offer.from().close(Transfer.over()));
    }

    /** A new link finds workers there that have what an earlier one brought. */
    @Override
    public CompletionStage<WorkersAnswer> list() {
        CompletionStage<WorkersAnswer> all = far.list();
        if (network) {
            all.thenAccept(listed -> listed.workers().stream()
                    .filter(worker -> !worker.ended())
                    .forEach(worker -> bringAgain(worker.spawnId())));
        }
        return all;
    }

    private void bringAgain(String spawnId) {
        SpawnRequest request = requests.apply(spawnId);
        if (request == null) {
            return;
        }
        offer(spawnId, request)
                .thenCompose(offer -> bring(spawnId, offer))
                .exceptionallyCompose(failure -> isRefusal(Reason.cause(failure))
                        ? end(spawnId, Reason.cause(failure))
                        : CompletableFuture.failedFuture(failure))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        log.debug("a handover is not renewed spawn_id={}: {}", spawnId, failure.toString());
                    }
                });
    }

    /** Whether the profile or the policy cannot be used any more, unlike a connection that is lost. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof BrigException refusal
                && refusal.code() != ErrorCode.INTERNAL
                && switch (refusal.code().action()) {
                    case FIX_REQUEST, OPERATOR -> true;
                    case AUTHENTICATE, RETRY_LATER, RECONNECT, STOP -> false;
                };
    }

    /** As on this host, a policy that cannot be used any more allows nothing. */
    private CompletionStage<Done> end(String spawnId, Throwable why) {
        log.error("a running worker on another host is allowed nothing spawn_id={}: {}", spawnId, why.getMessage());
        return far.transfer().thenCompose(to -> {
            to.send(new TransferRequest.TakeOver(spawnId, 0));
            return to.answer(Done.class).whenComplete((done, failure) -> to.close(Transfer.over()));
        });
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker, Check.Part part) {
        return far.check(request, asker, part);
    }

    @Override
    public CompletionStage<EgressGrant> grant(String spawnId, SpawnRequest request) {
        return far.grant(spawnId, request);
    }

    @Override
    public CompletionStage<Void> ungrant(String spawnId) {
        return far.ungrant(spawnId);
    }

    @Override
    public CompletionStage<Void> tell(EgressHappened happened) {
        return far.tell(happened);
    }

    @Override
    public void close() {
        again.cancel();
    }
}
