package brig.egress.proxy;

import brig.egress.policy.HostPort;
import brig.egress.policy.Verdict;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Requests of one worker that wait for a person. Requests for the same host and port share one ask. Without an answer
 * in time they are refused. State owned by the worker's event loop.
 *
 * <p>Decision 0153.
 */
final class Asks {
    private static final int HOSTS_MAX = 16;
    private static final int WAITING_MAX = 64;
    /** How much later than the ask its requests end: the worker-agent, which has the deadline, hears of it later. */
    private static final long GRACE_MS = 250;

    private record Ask(List<Consumer<Verdict>> waiting, ScheduledFuture<?> deadline, LongConsumer tell) {
        long leftMs() {
            return Math.max(1, deadline.getDelay(TimeUnit.MILLISECONDS) - GRACE_MS);
        }
    }

    private final EventLoop loop;
    private final BiConsumer<HostPort, Verdict> settled;
    /** The oldest first. */
    private final Map<HostPort, Ask> asks = new LinkedHashMap<>();

    /**
     * @param settled receives each closed ask with its verdict. It is called before the waiting requests continue:
     *     whoever sees their effect finds no open ask
     */
    Asks(EventLoop loop, BiConsumer<HostPort, Verdict> settled) {
        this.loop = loop;
        this.settled = settled;
    }

    /**
     * Waits for the verdict on that host.
     *
     * @param unanswered the verdict at the deadline
     * @param tell tells of an ask and its deadline in milliseconds from now; called if there is no open ask for it yet
     * @return false if too many requests wait
     */
    boolean add(HostPort at, Verdict unanswered, long askMs, Consumer<Verdict> waiter, LongConsumer tell) {
        Ask known = asks.get(at);
        if (known == null) {
            if (asks.size() >= HOSTS_MAX) {
                return false;
            }
            ScheduledFuture<?> deadline =
                    loop.schedule(() -> answer(at, unanswered), askMs + GRACE_MS, TimeUnit.MILLISECONDS);
            known = new Ask(new ArrayList<>(), deadline, tell);
            asks.put(at, known);
            tell.accept(askMs);
        }
        return known.waiting().size() < WAITING_MAX && known.waiting().add(waiter);
    }

    /** Answers all requests that wait for that host. @return their number */
    int answer(HostPort at, Verdict verdict) {
        Ask ask = asks.remove(at);
        if (ask == null) {
            return 0;
        }
        ask.deadline().cancel(false);
        settled.accept(at, verdict);
        ask.waiting().forEach(waiter -> waiter.accept(verdict));
        return ask.waiting().size();
    }

    /** Answers the first request that waits for that host; the others ask again. @return whether there was one */
    boolean answerFirst(HostPort at, Verdict verdict) {
        Ask ask = asks.get(at);
        if (ask == null || ask.waiting().isEmpty()) {
            return false;
        }
        Consumer<Verdict> first = ask.waiting().removeFirst();
        settled.accept(at, verdict);
        asks.remove(at);
        if (ask.waiting().isEmpty()) {
            ask.deadline().cancel(false);
        } else {
            asks.put(at, ask);
            ask.tell().accept(ask.leftMs());
        }
        first.accept(verdict);
        return true;
    }

    List<HostPort> open() {
        return List.copyOf(asks.keySet());
    }
}
