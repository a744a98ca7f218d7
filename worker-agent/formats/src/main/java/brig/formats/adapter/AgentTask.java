package brig.formats.adapter;

import brig.formats.permission.Permissions;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a dialogue.
 *
 * @param folder the agent's working folder, as seen inside the wall
 * @param model the model that the captain chose; null leaves it to the agent
 * @param systemPrompt the captain's system prompt; null for none
 * @param session the agent's own id of a session to resume; null begins a new one
 * @param raw whether each line of the agent also makes a {@code raw} frame, ahead of its other frames
 * @param permissions decides about its requests to use tools
 * @param copies whether it goes on with a copy of that session, which stays as it is
 */
public record AgentTask(
        String folder,
        @Nullable String model,
        @Nullable String systemPrompt,
        @Nullable String session,
        boolean raw,
        Permissions permissions,
        boolean copies) {
    /** Of an agent that copies no session. */
    public AgentTask(
            String folder,
            @Nullable String model,
            @Nullable String systemPrompt,
            @Nullable String session,
            boolean raw,
            Permissions permissions) {
        this(folder, model, systemPrompt, session, raw, permissions, false);
    }
}
