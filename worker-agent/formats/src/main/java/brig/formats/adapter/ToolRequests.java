package brig.formats.adapter;

import brig.formats.adapter.Adapter.Context;
import brig.formats.permission.Permissions;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.PermissionMode;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an agent to use a tool. What the profile decides is answered at once, with a {@code permission} frame;
 * everything else waits for a person. Owned by the thread that reads standard output.
 *
 * <p>Decisions 0149, 0150.
 */
public final class ToolRequests {
    public static final String ALLOW = "allow";
    public static final String ALLOW_SESSION = "allow_session";
    public static final String DENY = "deny";

    private static final Frame.Ask.Option ONCE = new Frame.Ask.Option(ALLOW, "Allow");
    private static final Frame.Ask.Option NO = new Frame.Ask.Option(DENY, "Deny");
    private static final List<Frame.Ask.Option> OPTIONS =
            List.of(ONCE, new Frame.Ask.Option(ALLOW_SESSION, "Allow the same call for this session"), NO);
    /** Without arguments nobody can tell which call is the same. */
    private static final List<Frame.Ask.Option> OPTIONS_WITHOUT_ARGUMENTS = List.of(ONCE, NO);

    /**
     * A request to use a tool.
     *
     * @param id the agent's own id of the request
     * @param agent the asking sub-agent; null for the agent itself
     * @param tool the tool call concerned
     * @param name of the tool, or of the question
     * @param title what the call does, or why it is wanted; null for the name alone
     * @param input the arguments of the call; null if they are not known
     * @param ruled the tool as the rules of a profile call it; null if that is not known
     */
    public record ToolRequest(
            String id,
            @Nullable String agent,
            @Nullable String tool,
            @Nullable String name,
            @Nullable String title,
            @Nullable Object input,
            @Nullable String ruled) {
        private String toolName() {
            return name == null ? "" : name;
        }

        private boolean hasArguments() {
            return input != null && !input.equals(JsonObject.EMPTY);
        }
    }

    private final AgentFrames frames;
    private final Asks asks;
    private final Permissions permissions;

    public ToolRequests(AgentFrames frames, Context context) {
        this.frames = frames;
        this.asks = context.asks();
        this.permissions = context.task().permissions();
    }

    /**
     * Decides, now or when a person has answered.
     *
     * @param answer called once with whether the call is allowed, unless the agent no longer waits; by any thread
     */
    public void decide(ToolRequest request, Consumer<Boolean> answer) throws InterruptedException {
        PermissionMode decision = decision(request);
        if (decision == PermissionMode.ASK) {
            asks.open(ask(request), reply -> handle(request, reply, answer));
            return;
        }
        boolean allowed = decision == PermissionMode.ALLOW;
        frames.put(new Frame.Permission(
                request.id(),
                request.agent(),
                request.tool(),
                request.name(),
                request.input(),
                allowed ? Decision.ALLOW : Decision.DENY));
        answer.accept(allowed);
    }

    private PermissionMode decision(ToolRequest request) {
        String tool = request.ruled();
        return permissions.isGranted(request.toolName(), request.input())
                ? PermissionMode.ALLOW
                : permissions.decide(tool == null ? "" : tool, request.input());
    }

    private Asks.Request ask(ToolRequest request) {
        String name = request.toolName();
        String title = request.title();
        return new Asks.Request(
                Frame.Ask.Kind.TOOL,
                request.agent(),
                request.id(),
                request.tool(),
                title == null || title.equals(name) ? name : name + ": " + title,
                request.input(),
                request.hasArguments() ? OPTIONS : OPTIONS_WITHOUT_ARGUMENTS,
                false,
                DENY);
    }

    private void handle(ToolRequest request, Asks.Reply reply, Consumer<Boolean> answer) {
        if (ALLOW_SESSION.equals(reply.option()) && request.hasArguments()) {
            permissions.allowForSession(request.toolName(), request.input());
        }
        answer.accept(ALLOW.equals(reply.option()) || ALLOW_SESSION.equals(reply.option()));
    }
}
