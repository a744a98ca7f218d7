package brig.gateway.openai.message;

import org.jspecify.annotations.Nullable;

/**
 * A call of a client's tool ("The chat completion object").
 *
 * @param index its place among the calls, in a piece of an answer; null in a whole one
 */
public record ToolCall(@Nullable Integer index, String id, String type, Function function) {
    /** @param arguments a JSON object as text */
    public record Function(String name, String arguments) {}
}
