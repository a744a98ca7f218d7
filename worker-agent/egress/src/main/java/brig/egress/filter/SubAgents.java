package brig.egress.filter;

import brig.protocol.egress.EgressEvent;
import io.netty.handler.codec.http.HttpRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the sub-agent that sends a model request, by headers of the known agents. State owned by the worker's
 * event loop.
 *
 * <p>Decision 0067.
 */
public final class SubAgents {
    /** The headers that name the agent itself, its session and its parent; the first one present counts. */
    private static final List<String> SESSION = List.of("x-claude-code-session-id", "session-id", "x-session-id");

    private static final List<String> AGENT = List.of("x-claude-code-agent-id", "thread-id", "x-session-id");
    private static final List<String> PARENT =
            List.of("x-claude-code-parent-agent-id", "x-codex-parent-thread-id", "x-parent-session-id");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");

    private static final int KNOWN_MAX = 1024;

    private final Consumer<EgressEvent.Noted> told;
    private final Set<String> known = new HashSet<>();

    /** @param told receives each sub-agent at its first request */
    public SubAgents(Consumer<EgressEvent.Noted> told) {
        this.told = told;
    }

    /** Reports a sub-agent at its first request. */
    public void meet(HttpRequest request) {
        String agent = first(request, AGENT);
        String session = first(request, SESSION);
        String parent = first(request, PARENT);
        // Claude Code names the parent only from the second level on; the others name the agent itself on the first.
        boolean claude = request.headers().contains("x-claude-code-agent-id");
        if (agent == null || (parent == null && !claude) || known.size() >= KNOWN_MAX || !known.add(agent)) {
            return;
        }
        boolean named = parent != null && (claude || known.contains(parent));
        told.accept(new EgressEvent.Subagent(agent, named ? parent : null, session));
    }

    /** The sub-agent that sent the request; null for the agent itself, and for unreported sub-agents. */
    public @Nullable String of(HttpRequest request) {
        String agent = first(request, AGENT);
        return agent != null && known.contains(agent) ? agent : null;
    }

    private static @Nullable String first(HttpRequest request, List<String> names) {
        for (String name : names) {
            String value = request.headers().get(name);
            if (value != null && ID.matcher(value).matches()) {
                return value;
            }
        }
        return null;
    }
}
