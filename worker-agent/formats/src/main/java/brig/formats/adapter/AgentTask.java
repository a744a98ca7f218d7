package brig.formats.adapter;

import org.jspecify.annotations.Nullable;

/**
 * What a dialogue has to know beside the messages.
 *
 * @param folder where the agent works, as it sees it
 * @param model which model the captain chose; null leaves it to the agent
 * @param systemPrompt what the captain wants said before everything; null for nothing
 * @param session the agent's own id of an earlier session to go on with; null begins a new one
 * @param raw whether each line of the agent becomes a frame too, in front of those that it is turned into
 * @param allow whether a permission that the agent asks for is given; it is answered at once either way
 */
public record AgentTask(
        String folder,
        @Nullable String model,
        @Nullable String systemPrompt,
        @Nullable String session,
        boolean raw,
        boolean allow) {}
