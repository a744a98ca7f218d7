package brig.gateway.e2e.provider;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;

/** What a test has a provider do wrong. Without it nothing goes wrong. */
public final class Faults {
    /** Where connections of one kind end: so many bytes of content of both directions, and so long, after they began. */
    record Cut(long afterBytes, long afterMs) {
        static final Cut NEVER = new Cut(Long.MAX_VALUE, 0);
        /** When the first byte would go to the client. */
        static final Cut AT_ONCE = new Cut(0, 0);
    }

    private final Map<Operation, Queue<Fault>> next = new EnumMap<>(Operation.class);
    private final Map<Operation, Fault> always = new EnumMap<>(Operation.class);
    private final Map<Operation, Cut> cuts = new EnumMap<>(Operation.class);
    private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
    private Random random = new Random(0);
    private int percent;
    private List<Fault> kinds = List.of();
    private long lagMs;
    private int retryAfterSeconds = 1;

    /** The next requests of this kind end so, one each. */
    public synchronized void next(Operation operation, Fault... faults) {
        next.computeIfAbsent(operation, key -> new ArrayDeque<>()).addAll(List.of(faults));
    }

    /** All requests of this kind end so, from now on. */
    public synchronized void always(Operation operation, Fault fault) {
        always.put(operation, fault);
    }

    /** So many of all other requests end in one of these ways. */
    public synchronized void random(long seed, int ofPercent, Fault... ways) {
        random = new Random(seed);
        percent = ofPercent;
        kinds = List.of(ways);
    }

    /** Nothing goes wrong any more. */
    public synchronized void none() {
        next.clear();
        always.clear();
        cuts.clear();
        percent = 0;
        lagMs = 0;
    }

    /** Requests that find and list sandboxes answer what was so long ago. */
    public synchronized void lag(long ms) {
        lagMs = ms;
    }

    /** What a 429 asks for. */
    public synchronized void retryAfter(int seconds) {
        retryAfterSeconds = seconds;
    }

    /** WebSockets of this kind are cut, without a close frame, when so many bytes of content went through. */
    public synchronized void cutAfter(Operation operation, long bytes) {
        cuts.put(operation, new Cut(bytes, 0));
    }

    /** WebSockets of this kind are cut so long after they began, or later, when so many bytes of content went through. */
    public synchronized void cutEvery(Operation operation, long ms, long bytes) {
        cuts.put(operation, new Cut(bytes, ms));
    }

    /** How many requests ended so. */
    public synchronized int count(Fault fault) {
        return done.getOrDefault(fault, 0);
    }

    synchronized Optional<Fault> draw(Operation operation) {
        Fault fault = next.getOrDefault(operation, new ArrayDeque<>()).poll();
        if (fault == null) {
            fault = always.get(operation);
        }
        if (fault == null && percent > 0 && random.nextInt(100) < percent) {
            fault = kinds.get(random.nextInt(kinds.size()));
        }
        if (fault != null) {
            done.merge(fault, 1, Integer::sum);
        }
        return Optional.ofNullable(fault);
    }

    synchronized Cut cut(Operation operation) {
        return cuts.getOrDefault(operation, Cut.NEVER);
    }

    synchronized long lagMs() {
        return lagMs;
    }

    synchronized int retryAfterSeconds() {
        return retryAfterSeconds;
    }
}
