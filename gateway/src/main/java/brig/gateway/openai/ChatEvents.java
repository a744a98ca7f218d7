package brig.gateway.openai;

import brig.gateway.time.Timers;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer as {@code chat.completion.chunk} events ("Streaming", OpenAI API reference); thoughts are
 * {@code reasoning_content}, as DeepSeek's API began it and clients read it.
 *
 * <p>Decision 0072.
 */
public final class ChatEvents implements Answer {
    private final SseWriter events;
    private final AnswerHeader head;
    private final boolean usage;

    /** Begins the answer, which ends with the tokens that were used where {@code usage} says so. */
    public ChatEvents(HttpServerResponse response, AnswerHeader head, boolean usage, Timers timers) {
        this.events = new SseWriter(response, timers);
        this.head = head;
        this.usage = usage;
        choice(Map.of("role", "assistant", "content", ""), null);
        events.beat(() -> text(""));
    }

    @Override
    public boolean isWritable() {
        return events.isWritable();
    }

    @Override
    public void text(String text) {
        choice(Map.of("content", text), null);
    }

    @Override
    public void thought(String text) {
        choice(Map.of("reasoning_content", text), null);
    }

    private void choice(Map<String, ?> delta, @Nullable String finish) {
        Map<String, @Nullable Object> choice = new LinkedHashMap<>();
        choice.put("index", 0);
        choice.put("delta", delta);
        choice.put("finish_reason", finish);
        send(List.of(choice), null);
    }

    private void send(List<?> choices, @Nullable Usage used) {
        Map<String, @Nullable Object> chunk = head.object("chat.completion.chunk", "created");
        chunk.put("choices", choices);
        if (used != null) {
            chunk.put("usage", ChatCompletion.usage(used));
        }
        events.send(chunk);
    }

    @Override
    public void done(Usage used) {
        choice(Map.of(), "stop");
        if (usage) {
            send(List.of(), used);
        }
        events.end("data: [DONE]\n\n");
    }

    @Override
    public void fail(ApiError why) {
        events.send(why.body());
        events.end("data: [DONE]\n\n");
    }

    @Override
    public void close() {
        events.close();
    }
}
