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
 * Requests of one worker that wait for a person. All that want the same host and port wait for one answer; when
 * none comes in time, they are refused. State owned by the worker's event loop.
 */
final class Asks {
    private static final int HOSTS_MAX = 16;
    private static final int WAITING_MAX = 64;

    private record Ask(List<Consumer<Verdict>> waiting, Future<?> deadline) {}

    private final EventLoop loop;
    private final BiConsumer<HostPort, Verdict> settled;
    private final Map<HostPort, Ask> asks = new HashMap<>();

    /**
     * @param settled told of each question that nobody waits for any more, and how it was answered last; before those
     *         who waited, so that who sees what the agent did with the answer finds no question open
     */
    Asks(EventLoop loop, BiConsumer<HostPort, Verdict> settled) {
        this.loop = loop;
        this.settled = settled;
    }

    /**
     * Waits for the answer about that host.
     *
     * @param unanswered what is told at the deadline
     * @param ask called if nobody was asked yet
     * @return false where too many wait already
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

    /** Tells all that wait for that host. @return how many did */
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

    /** Tells the first that waits for that host; the others go on waiting. @return whether one did */
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
