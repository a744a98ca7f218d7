package brig.gateway.openai.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Tagged;
import java.util.List;

/** An item of a response's {@code output}. As in the API, its {@code type} is written after its id. */
public sealed interface OutputItem {
    /**
     * The agent's answer.
     *
     * @param status {@code in_progress}, without content, or {@code completed}
     */
    record Message(String id, String type, String status, String role, List<Part> content) implements OutputItem {
        public Message(String id, String status, List<Part> content) {
            this(id, "message", status, "assistant", content);
        }
    }

    /**
     * Its reasoning and actions.
     *
     * @param status {@code in_progress}, without summary, or {@code completed}
     */
    record Reasoning(String id, String type, String status, List<Part> summary) implements OutputItem {
        public Reasoning(String id, String status, List<Part> summary) {
            this(id, "reasoning", status, summary);
        }
    }

    /**
     * A call of a client's tool.
     *
     * @param arguments a JSON object as text; empty while it is in progress
     */
    record FunctionCall(String id, String type, String status, String callId, String name, String arguments)
            implements OutputItem {
        public FunctionCall(String id, String status, String callId, String name, String arguments) {
            this(id, "function_call", status, callId, name, arguments);
        }
    }

    /** The text of an item: each has one part. */
    @Tagged("type")
    sealed interface Part {}

    /**
     * Text of a message.
     *
     * @param annotations empty: an agent has them in its text
     */
    record OutputText(String text, List<JsonObject> annotations) implements Part {
        public OutputText(String text) {
            this(text, List.of());
        }
    }

    /** Text of a reasoning item. */
    record SummaryText(String text) implements Part {}
}
