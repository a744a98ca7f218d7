package brig.egress.rate;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What waits for its turn: the owners take turns, and what one of them has goes in the order in which it came. */
final class FairQueue<T> {
    /** The owner whose turn is next is the first. */
    private final Map<Object, ArrayDeque<T>> byOwner = new LinkedHashMap<>();

    private int size;

    int size() {
        return size;
    }

    int sizeOf(Object owner) {
        ArrayDeque<T> own = byOwner.get(owner);
        return own == null ? 0 : own.size();
    }

    void add(Object owner, T element) {
        byOwner.computeIfAbsent(owner, unused -> new ArrayDeque<>()).add(element);
        size++;
    }

    /** Takes the next; null if nothing waits. */
    @Nullable
    T next() {
        if (byOwner.isEmpty()) {
            return null;
        }
        Object owner = byOwner.keySet().iterator().next();
        ArrayDeque<T> own = byOwner.remove(owner);
        T first = own == null ? null : own.poll();
        if (own != null && !own.isEmpty()) {
            byOwner.put(owner, own);
        }
        size--;
        return first;
    }

    void remove(Object owner, T element) {
        ArrayDeque<T> own = byOwner.get(owner);
        if (own != null && own.remove(element)) {
            size--;
            if (own.isEmpty()) {
                byOwner.remove(owner);
            }
        }
    }
}
