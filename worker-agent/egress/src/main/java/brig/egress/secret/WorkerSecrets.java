package brig.egress.secret;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets of a running worker: their values change, and they can be revoked. Former values are still removed from
 * answers. State owned by one thread.
 */
public final class WorkerSecrets {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerSecrets.class);
    private static final int FORMER_VALUES_MAX = 4;

    private final String spawn;
    private final Map<String, String> placeholders;
    private final Set<String> revoked;
    private final Map<String, List<String>> formerValues = new TreeMap<>();
    private Secrets now;

    /**
     * Creates secrets without values.
     *
     * @param spawn the worker's spawn id, for the log
     * @param placeholders placeholders by the secret's name
     * @param revoked names of secrets revoked before
     */
    public WorkerSecrets(String spawn, Map<String, String> placeholders, Collection<String> revoked) {
        this.spawn = spawn;
        this.placeholders = Map.copyOf(placeholders);
        this.revoked = new TreeSet<>(revoked);
        this.now = new Secrets(placeholders, Map.of(), Map.of());
    }

    /** The current secrets. */
    public Secrets now() {
        return now;
    }

    /** The placeholder of that secret; empty if it has none. */
    public String placeholder(String name) {
        return placeholders.getOrDefault(name, "");
    }

    /** Sets the values; secrets missing in the map lose theirs. */
    public void change(Map<String, String> values) {
        Map<String, String> usable = new TreeMap<>(values);
        usable.keySet().removeAll(revoked);
        for (String name : placeholders.keySet()) {
            String before = now.value(name);
            if (before != null && !before.equals(usable.get(name))) {
                List<String> former = formerValues.computeIfAbsent(name, unused -> new ArrayList<>());
                former.add(before);
                if (former.size() > FORMER_VALUES_MAX) {
                    former.removeFirst();
                }
                LOG.info("the secret {} changed spawn_id={}", name, spawn);
            }
        }
        now = new Secrets(placeholders, usable, formerValues);
    }

    /** Revokes a secret. */
    public void revoke(String name) {
        revoked.add(name);
        Map<String, String> left = new TreeMap<>();
        for (String other : placeholders.keySet()) {
            String value = now.value(other);
            if (value != null) {
                left.put(other, value);
            }
        }
        change(left);
    }
}
