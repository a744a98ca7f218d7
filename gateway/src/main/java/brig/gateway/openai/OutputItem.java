package brig.gateway.openai;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A piece of a response's {@code output}: a message, or what the agent thought and did before it. */
record OutputItem(String id, boolean isMessage, StringBuilder text) {
    /** The prefixes of an item's own events. */
    String part() {
        return isMessage ? "response.content_part" : "response.reasoning_summary_part";
    }

    String delta() {
        return isMessage ? "response.output_text" : "response.reasoning_summary_text";
    }

    /** What the API calls the place of a part in its item. */
    String index() {
        return isMessage ? "content_index" : "summary_index";
    }

    Map<String, Object> content() {
        Map<String, Object> part = new LinkedHashMap<>();
        part.put("type", isMessage ? "output_text" : "summary_text");
        part.put("text", text.toString());
        if (isMessage) {
            part.put("annotations", List.of());
        }
        return part;
    }

    /** @param status {@code in_progress} or {@code completed} */
    Map<String, Object> object(String status) {
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("id", id);
        item.put("type", isMessage ? "message" : "reasoning");
        item.put("status", status);
        if (isMessage) {
            item.put("role", "assistant");
        }
        boolean begun = status.equals("in_progress");
        item.put(isMessage ? "content" : "summary", begun ? List.of() : List.of(content()));
        return item;
    }
}
