package brig.gateway.provider;

import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes one sandbox, once. Whether a create whose answer was lost had an effect is found out by the sandbox's name. It is
 * created again only where the call surely had no effect: at once if it did not get there, or after a minute where the
 * provider also takes no second one of that name.
 *
 * <p>Owned by the event loop. Decision 0217.
 */
final class Provisioning {
    /** How long it may be unknown whether there is a sandbox. */
    static final long UNKNOWN_MS = 120_000;

    /** After which a call whose answer was lost has no effect any more. Where names are unique it may be repeated then. */
    static final long LATE_MS = 60_000;

    /** How long a provider may ask to wait, or be out of reach, before the session fails. */
    static final long ADMISSION_MS = 120_000;

    /** How long a sandbox may take from its creation until it runs. */
    static final long START_MS = 300_000;

    /** A sandbox that is not up at once is looked at after a while, then less and less often. */
    private static final long FIRST_LOOK_MS = 100;

    private static final long LOOK_MS_MAX = 1_000;

    /** What the makers of sandboxes share. */
    record Services(Timers timers, Clock clock, Backoff.Jitter jitter) {}

    /**
     * Who waits.
     *
     * @param unwanted whether nobody wants it any more
     * @param doubt is told whether it is unknown that there is a sandbox
     */
    record Waiter(BooleanSupplier unwanted, Consumer<Boolean> doubt) {}

    private final Provider provider;
    private final String providerName;
    private final Provider.Order order;
    private final Services services;
    private final Waiter waiter;
    private final CompletableFuture<Sandbox> result = new CompletableFuture<>();
    private final Backoff backoff;
    private final long begunMs;
    /** When the first answer was lost; null while none is. */
    private @Nullable Long lostMs;

    private long lastLostMs;
    private long createdMs;
    private long lookMs = FIRST_LOOK_MS;

    Provisioning(Provider provider, String providerName, Provider.Order order, Services services, Waiter waiter) {
        this.provider = provider;
        this.providerName = providerName;
        this.order = order;
        this.services = services;
        this.waiter = waiter;
        backoff = new Backoff(services.jitter());
        begunMs = services.clock().nowMs();
    }

    /** @return the sandbox when it runs; fails with a {@link BrigException} */
    CompletionStage<Sandbox> begin() {
        create();
        return result;
    }

    private boolean isOver() {
        if (!result.isDone() && waiter.unwanted().getAsBoolean()) {
            fail(new BrigException(ErrorCode.SESSION_ENDED, "it was ended before its sandbox ran"));
        }
        return result.isDone();
    }

    private void fail(BrigException why) {
        result.completeExceptionally(why);
    }

    private void later(long delayMs, Runnable task) {
        services.timers().after(delayMs, () -> {
            if (!isOver()) {
                task.run();
            }
        });
    }

    private void create() {
        provider.create(order).whenComplete((sandbox, failure) -> {
            if (failure == null) {
                handleFound(sandbox);
            } else {
                handleNotCreated(ProviderFailure.of(failure));
            }
        });
    }

    private void handleNotCreated(ProviderFailure failure) {
        if (isOver()) {
            return;
        }
        switch (failure.kind()) {
            case LOST -> {
                lastLostMs = services.clock().nowMs();
                if (lostMs == null) {
                    lostMs = lastLostMs;
                    waiter.doubt().accept(true);
                }
                later(backoff.nextMs(0), this::lookFor);
            }
            case LIMITED, UNREACHED -> waitForAnother(failure);
            case REFUSED, UNTRUSTED -> fail(failure.toException(providerName));
        }
    }

    private void waitForAnother(ProviderFailure failure) {
        long delayMs = backoff.nextMs(failure.retryAfterMs());
        long untilMs = lostMs == null ? begunMs + ADMISSION_MS : lostMs + UNKNOWN_MS;
        if (services.clock().nowMs() + delayMs < untilMs) {
            later(delayMs, lostMs == null ? this::create : this::lookFor);
        } else if (lostMs == null) {
            fail(failure.toException(providerName));
        } else {
            failUnknown();
        }
    }

    private void failUnknown() {
        fail(new BrigException(
                ErrorCode.RECONCILE_TIMEOUT,
                "it was unknown for " + UNKNOWN_MS / 1000 + " s whether provider " + providerName + " made its sandbox "
                        + order.name() + ". If it did, Brig ends it: see 'brig costs'"));
    }

    /** Whether the lost call had its effect. */
    private void lookFor() {
        provider.find(order.name()).whenComplete((sandbox, failure) -> {
            if (failure == null && sandbox != null && !isOver()) {
                handleSeen(sandbox);
            } else if (!isOver()) {
                handleNotFound(failure);
            }
        });
    }

    private void handleSeen(Sandbox sandbox) {
        waiter.doubt().accept(false);
        provider.finish(sandbox, order).whenComplete((finished, failure) -> {
            if (failure == null) {
                handleFound(finished);
            } else {
                handleNotCreated(ProviderFailure.of(failure));
            }
        });
    }

    private void handleNotFound(@Nullable Throwable failure) {
        long nowMs = services.clock().nowMs();
        if (nowMs - (lostMs == null ? begunMs : lostMs) >= UNKNOWN_MS) {
            failUnknown();
        } else if (failure == null
                && nowMs - lastLostMs >= LATE_MS
                && provider.capabilities().uniqueNames()) {
            later(backoff.nextMs(0), this::create);
        } else {
            later(backoff.nextMs(0), this::lookFor);
        }
    }

    private void handleFound(Sandbox sandbox) {
        createdMs = services.clock().nowMs();
        lostMs = null;
        await(sandbox);
    }

    private void await(Sandbox sandbox) {
        if (isOver()) {
            return;
        }
        switch (sandbox.state()) {
            case RUNNING -> result.complete(sandbox);
            case GONE ->
                fail(new BrigException(
                        ErrorCode.PROVIDER_REFUSED,
                        "provider " + providerName + ": the sandbox " + order.name() + " does not start"));
            case PENDING, PAUSED -> {
                if (services.clock().nowMs() - createdMs >= START_MS) {
                    fail(new BrigException(
                            ErrorCode.PROVIDER_UNAVAILABLE,
                            "provider " + providerName + ": the sandbox " + order.name() + " was not up after "
                                    + START_MS / 1000 + " s",
                            5));
                } else {
                    later(lookMs, () -> look(sandbox));
                    lookMs = Math.min(2 * lookMs, LOOK_MS_MAX);
                }
            }
        }
    }

    /** It may be absent from what the provider shows, or the provider out of reach; then it is as it was. */
    private void look(Sandbox before) {
        provider.find(order.name())
                .whenComplete((sandbox, failure) -> await(failure == null && sandbox != null ? sandbox : before));
    }
}
