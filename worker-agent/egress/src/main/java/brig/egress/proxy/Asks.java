package brig.egress.proxy;

import brig.egress.policy.HostPort;
import brig.egress.policy.Verdict;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Requests of one worker that wait for a person. Requests for the same host and port share one ask. Without an answer
 * in time they are refused. State owned by the worker's event loop.
 */
final class Asks {
    private static final int HOSTS_MAX = 16;
    private static final int WAITING_MAX = 64;

    private record Ask(List<Consumer<Verdict>> waiting, Future<?> deadline) {}

    private final EventLoop loop;
    private final BiConsumer<HostPort, Verdict> settled;
    private final Map<HostPort, Ask> asks = new HashMap<>();

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
     * @param ask called if there is no open ask for it yet
     * @return false if too many requests wait
     */
    boolean add(HostPort at, Verdict unanswered, long askMs, Consumer<Verdict> waiter, Runnable ask) {
        Ask known = asks.get(at);
        if (known == null) {
            if (asks.size() >= HOSTS_MAX) {
                return false;
            }
            Future<?> deadline = loop.schedule(() -> answer(at, unanswered), askMs, TimeUnit.MILLISECONDS);
            known = new Ask(new ArrayList<>(), deadline);
            asks.put(at, known);
            ask.run();
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

    /** Answers the first request that waits for that host; others continue to wait. @return whether there was one */
    boolean answerFirst(HostPort at, Verdict verdict) {
        Ask ask = asks.get(at);
        if (ask == null || ask.waiting().isEmpty()) {
            return false;
        }
        Consumer<Verdict> first = ask.waiting().removeFirst();
        if (ask.waiting().isEmpty()) {
            ask.deadline().cancel(false);
            asks.remove(at);
            settled.accept(at, verdict);
        }
        first.accept(verdict);
        return true;
    }

    List<HostPort> open() {
        return List.copyOf(asks.keySet());
    }
}
