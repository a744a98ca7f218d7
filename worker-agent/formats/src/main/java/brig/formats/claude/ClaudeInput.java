package brig.formats.claude;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;

/** A line that is written to Claude Code. */
@Tagged("type")
sealed interface ClaudeInput {
    /** A user message. */
    record User(Said message) implements ClaudeInput {
        static User of(String text) {
            return new User(new Said("user", List.of(new Text("text", text))));
        }
    }

    record Said(String role, List<Text> content) {}

    record Text(String type, String text) {}

    /** A request to Claude Code. */
    record ControlRequest(String requestId, Request request) implements ClaudeInput {}

    @Tagged("subtype")
    @CamelCase
    sealed interface Request {
        record Initialize(String appendSystemPrompt) implements Request {}

        record Interrupt() implements Request {}
    }

    /** The answer to a {@link ClaudeMessage.ControlRequest}. */
    record ControlResponse(Answer response) implements ClaudeInput {}

    @Tagged("subtype")
    sealed interface Answer {
        record Success(String requestId, Behavior response) implements Answer {}

        @Name("error")
        record Failure(String requestId, String error) implements Answer {}
    }

    /** The decision about a tool call. */
    @Tagged("behavior")
    @CamelCase
    sealed interface Behavior {
        record Allow(JsonObject updatedInput) implements Behavior {}

        record Deny(String message) implements Behavior {}
    }
}
