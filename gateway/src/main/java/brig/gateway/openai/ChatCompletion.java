package brig.gateway.openai;

import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer as one {@code chat.completion} object ("The chat completion object", OpenAI API reference). */
public final class ChatCompletion extends BufferedAnswer {
    private final AnswerHeader head;

    public ChatCompletion(HttpServerResponse response, AnswerHeader head) {
        super(response);
        this.head = head;
    }

    @Override
    Map<String, ?> object(String said, String thoughts, Usage used) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("role", "assistant");
        message.put("content", said);
        if (!thoughts.isEmpty()) {
            message.put("reasoning_content", thoughts);
        }
        Map<String, @Nullable Object> completion = head.object("chat.completion", "created");
        completion.put("choices", List.of(Map.of("index", 0, "message", message, "finish_reason", "stop")));
        completion.put("usage", usage(used));
        return completion;
    }

    static Map<String, Long> usage(Usage used) {
        Map<String, Long> usage = new LinkedHashMap<>();
        usage.put("prompt_tokens", used.input());
        usage.put("completion_tokens", used.output());
        usage.put("total_tokens", used.input() + used.output());
        return usage;
    }
}
