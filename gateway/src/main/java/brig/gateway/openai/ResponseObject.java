package brig.gateway.openai;

import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer as one {@code response} object ("The response object", OpenAI API reference). */
public final class ResponseObject extends BufferedAnswer {
    private final AnswerHeader head;

    public ResponseObject(HttpServerResponse response, AnswerHeader head) {
        super(response);
        this.head = head;
    }

    @Override
    Map<String, ?> object(String said, String thoughts, Usage used) {
        List<Map<String, Object>> output = new ArrayList<>();
        if (!thoughts.isEmpty()) {
            output.add(new OutputItem("rs_" + head.id(), false, new StringBuilder(thoughts)).object("completed"));
        }
        output.add(new OutputItem("msg_" + head.id(), true, new StringBuilder(said)).object("completed"));
        return response(head, "completed", output, used);
    }

    static Map<String, @Nullable Object> response(
            AnswerHeader head, String status, List<Map<String, Object>> output, @Nullable Usage used) {
        Map<String, @Nullable Object> response = head.object("response", "created_at");
        response.put("status", status);
        response.put("output", output);
        response.put("parallel_tool_calls", false);
        response.put("tool_choice", "none");
        response.put("tools", List.of());
        response.put("error", null);
        response.put("incomplete_details", null);
        response.put("instructions", null);
        response.put("metadata", Map.of());
        response.put("usage", used == null ? null : usage(used));
        return response;
    }

    private static Map<String, Object> usage(Usage used) {
        Map<String, Object> usage = new LinkedHashMap<>();
        usage.put("input_tokens", used.input());
        usage.put("input_tokens_details", Map.of("cached_tokens", 0));
        usage.put("output_tokens", used.output());
        usage.put("output_tokens_details", Map.of("reasoning_tokens", 0));
        usage.put("total_tokens", used.input() + used.output());
        return usage;
    }
}
