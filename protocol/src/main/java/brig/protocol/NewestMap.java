package brig.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps the newest entries only, for input that may name any number of things. Not thread-safe. */
public final class NewestMap<V> extends LinkedHashMap<String, V> {
    private static final long serialVersionUID = 1;

    private final int entriesMax;

    /** @param entriesMax reached: the entry that was added first is removed */
    public NewestMap(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > entriesMax;
    }
}
