package brig.gateway.openai.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Tagged;
import java.util.List;

/** A piece of a response's {@code output}. Its {@code type} is written after its id, as the API has it. */
public sealed interface OutputItem {
    /**
     * What the agent said.
     *
     * @param status {@code in_progress}, without content, or {@code completed}
     */
    record Message(String id, String type, String status, String role, List<Part> content) implements OutputItem {
        public Message(String id, String status, List<Part> content) {
            this(id, "message", status, "assistant", content);
        }
    }

    /**
     * What it thought and did.
     *
     * @param status {@code in_progress}, without summary, or {@code completed}
     */
    record Reasoning(String id, String type, String status, List<Part> summary) implements OutputItem {
        public Reasoning(String id, String status, List<Part> summary) {
            this(id, "reasoning", status, summary);
        }
    }

    /** The text of an item: each has one part. */
    @Tagged("type")
    sealed interface Part {}

    /**
     * Of a message.
     *
     * @param annotations none: an agent has them in its text
     */
    record OutputText(String text, List<JsonObject> annotations) implements Part {
        public OutputText(String text) {
            this(text, List.of());
        }
    }

    /** Of a reasoning. */
    record SummaryText(String text) implements Part {}
}
