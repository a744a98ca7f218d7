package brig.egress.proxy;

import io.netty.handler.codec.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which of an agent's sub-agents speaks, as the known programs say in the headers of their requests to a model.
 *
 * <p>Decision 0067.
 */
final class SubAgentHeaders {
    /** The headers that name the agent itself, its session and its parent; the first that is there counts. */
    private static final List<String> SESSION = List.of("x-claude-code-session-id", "session-id", "x-session-id");

    private static final List<String> AGENT = List.of("x-claude-code-agent-id", "thread-id", "x-session-id");
    private static final List<String> PARENT =
            List.of("x-claude-code-parent-agent-id", "x-codex-parent-thread-id", "x-parent-session-id");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");

    private SubAgentHeaders() {}

    static void tell(HttpRequest request, WorkerEgress worker) {
        String agent = first(request, AGENT);
        String session = first(request, SESSION);
        String parent = first(request, PARENT);
        // Claude Code names the parent from the second level on, the others the agent itself on the first one.
        boolean claude = request.headers().contains("x-claude-code-agent-id");
        if (agent == null || (parent == null && !claude) || !worker.isNewSubAgent(agent)) {
            return;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("agent_id", agent);
        if (parent != null && (claude || worker.isSubAgent(parent))) {
            fields.put("parent_id", parent);
        }
        if (session != null) {
            fields.put("session_id", session);
        }
        worker.handleNoted("subagent", fields);
    }

    /** The sub-agent that asks; null where it is the agent itself, or nobody that was told of. */
    static @Nullable String of(HttpRequest request, WorkerEgress worker) {
        String agent = first(request, AGENT);
        return agent != null && worker.isSubAgent(agent) ? agent : null;
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
