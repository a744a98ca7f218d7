package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import java.util.List;

/**
 * The answer to {@code initialize}.
 *
 * @param protocolVersion the only one that there is here; an editor that has no use for it says so
 * @param authMethods none: logins belong to the gateway
 */
@CamelCase
public record Initialized(
        int protocolVersion, AgentCapabilities agentCapabilities, AgentInfo agentInfo, List<String> authMethods) {
    private static final int VERSION = 1;

    /** What Brig can. */
    @CamelCase
    public record AgentCapabilities(
            boolean loadSession,
            PromptCapabilities promptCapabilities,
            McpCapabilities mcpCapabilities,
            SessionCapabilities sessionCapabilities,
            @Name("_meta") Meta meta) {}

    /** What a prompt may have. */
    @CamelCase
    public record PromptCapabilities(boolean image, boolean audio, boolean embeddedContext) {}

    /** How tool servers are reached; none is. */
    @CamelCase
    public record McpCapabilities(boolean http, boolean sse) {}

    /** An empty object says yes. */
    @CamelCase
    public record SessionCapabilities(Empty list, Empty resume, Empty close) {}

    /** @param title for a person */
    @CamelCase
    public record AgentInfo(String name, String title, String version) {}

    /** What Brig says of itself. */
    public static Initialized as(String agent, String version) {
        return new Initialized(
                VERSION,
                new AgentCapabilities(
                        true,
                        new PromptCapabilities(false, false, true),
                        new McpCapabilities(false, false),
                        new SessionCapabilities(Empty.EMPTY, Empty.EMPTY, Empty.EMPTY),
                        new Meta(new BrigMeta.Features(true, true))),
                new AgentInfo("brig", "Brig: " + agent, version),
                List.of());
    }
}
