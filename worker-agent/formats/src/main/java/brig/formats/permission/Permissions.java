package brig.formats.permission;

import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of one session may do, may not do, or must ask for. It also keeps what a person allowed for the whole
 * session. Thread-safe.
 *
 * <p>Decision 0149.
 */
public final class Permissions {
    private static final int GRANTS_MAX = 1024;

    /**
     * A tool call that is allowed for the session.
     *
     * @param input the exact arguments
     */
    private record Grant(String tool, JsonObject input) {}

    private final PermissionMode mode;
    private final Set<Grant> grants = ConcurrentHashMap.newKeySet();

    public Permissions(PermissionMode mode) {
        this.mode = mode;
    }

    /** The mode of requests that nothing else decides. */
    public PermissionMode mode() {
        return mode;
    }

    /** The decision about a tool call. */
    public PermissionMode decide(String tool, @Nullable Object input) {
        return grants.contains(grant(tool, input)) ? PermissionMode.ALLOW : mode;
    }

    /** From now on the same call of that tool is allowed. */
    public void allowForSession(String tool, @Nullable Object input) {
        if (grants.size() < GRANTS_MAX) {
            grants.add(grant(tool, input));
        }
    }

    private static Grant grant(String tool, @Nullable Object input) {
        return new Grant(tool, JsonObject.EMPTY.with("input", input));
    }
}
