package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import java.util.List;

/**
 * The answer to {@code initialize}.
 *
 * @param protocolVersion the only supported version; an editor that does not support it tells its user
 * @param authMethods empty: logins belong to the gateway
 */
@CamelCase
public record Initialized(
        int protocolVersion, AgentCapabilities agentCapabilities, AgentInfo agentInfo, List<String> authMethods) {
    private static final int VERSION = 1;

    /** The capabilities of Brig. */
    @CamelCase
    public record AgentCapabilities(
            boolean loadSession,
            PromptCapabilities promptCapabilities,
            McpCapabilities mcpCapabilities,
            SessionCapabilities sessionCapabilities,
            @Name("_meta") Meta meta) {}

    /** Supported content of prompts. */
    @CamelCase
    public record PromptCapabilities(boolean image, boolean audio, boolean embeddedContext) {}

    /** Supported transports of tool servers: none. */
    @CamelCase
    public record McpCapabilities(boolean http, boolean sse) {}

    /** An empty object means support. */
    @CamelCase
    public record SessionCapabilities(Empty list, Empty resume, Empty close) {}

    /** @param title for a person */
    @CamelCase
    public record AgentInfo(String name, String title, String version) {}

    /** Brig's answer. */
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
