package brig.gateway.limits;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A round-robin queue over captains, in order within a captain. Owned by the event loop.
 *
 * @param <T> the waiting item
 */
final class FairQueue<T> {
    /** The next captain to be served comes first. */
    private final LinkedHashMap<String, ArrayDeque<T>> queues = new LinkedHashMap<>();

    private int size;

    void add(String captain, T one) {
        queues.computeIfAbsent(captain, first -> new ArrayDeque<>()).add(one);
        size++;
    }

    void remove(String captain, T gone) {
        ArrayDeque<T> queue = queues.get(captain);
        if (queue != null && queue.remove(gone)) {
            size--;
            if (queue.isEmpty()) {
                queues.remove(captain);
            }
        }
    }

    /** Removes the next item of the first captain that may be served; null for none. */
    @Nullable
    T next(Predicate<String> mayBeServed) {
        for (String captain : queues.keySet()) {
            if (mayBeServed.test(captain)) {
                return take(captain);
            }
        }
        return null;
    }

    private @Nullable T take(String captain) {
        ArrayDeque<T> queue = queues.remove(captain);
        if (queue == null) {
            return null;
        }
        size--;
        T next = queue.remove();
        if (!queue.isEmpty()) {
            queues.put(captain, queue);
        }
        return next;
    }

    /** The newest item of the captain with the longest queue, if it has more than {@code than}; else null. */
    @Nullable
    T newestOfLongest(int than) {
        ArrayDeque<T> longest = queues.values().stream()
                .max(Comparator.comparingInt(ArrayDeque::size))
                .orElse(new ArrayDeque<>());
        return longest.size() > than ? longest.getLast() : null;
    }

    /** The position in the order of service, from 1. */
    int position(String captain, T one) {
        int before = 0;
        boolean ahead = true;
        int rank = List.copyOf(queues.getOrDefault(captain, new ArrayDeque<>())).indexOf(one);
        for (Map.Entry<String, ArrayDeque<T>> other : queues.entrySet()) {
            if (other.getKey().equals(captain)) {
                ahead = false;
            } else {
                before += Math.min(other.getValue().size(), ahead ? rank + 1 : rank);
            }
        }
        return before + rank + 1;
    }

    int size() {
        return size;
    }

    int size(String captain) {
        ArrayDeque<T> queue = queues.get(captain);
        return queue == null ? 0 : queue.size();
    }

    List<T> all() {
        return queues.values().stream().flatMap(ArrayDeque::stream).toList();
    }

    /** Queue length by captain, in the order of service. */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        queues.forEach((captain, queue) -> counts.put(captain, queue.size()));
        return counts;
    }
}
