package brig.gateway.provider;

import java.util.Map;

/**
 * A sandbox as its provider shows it.
 *
 * @param name as it was ordered
 * @param id the provider's own; the name where it has none
 * @param createdMs when it was made, 0 if the provider does not say
 * @param labels as far as the provider shows them
 */
public record Sandbox(String name, String id, State state, long createdMs, Map<String, String> labels) {
    /** What it does. */
    public enum State {
        /** It is being made. */
        PENDING,
        RUNNING,
        PAUSED,
        /** It is ending, or has failed: nothing more will run there. */
        GONE
    }
}
