package brig.gateway.openai;

import brig.gateway.openai.message.ChatChunk;
import brig.gateway.openai.message.ChatChunk.Delta;
import brig.gateway.openai.message.ChatUsage;
import brig.gateway.time.Timers;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer as {@code chat.completion.chunk} events ("Streaming", OpenAI API reference). Reasoning is sent as {@code
 * reasoning_content}, as introduced by DeepSeek's API and read by clients.
 *
 * <p>Decision 0072.
 */
public final class StreamedChat implements Answer {
    private final SseWriter events;
    private final AnswerHeader head;
    private final boolean usage;
    private boolean called;

    /** Begins the answer, which ends with the usage if {@code usage} is set. */
    public StreamedChat(HttpServerResponse response, AnswerHeader head, boolean usage, Timers timers) {
        this.events = new SseWriter(response, timers);
        this.head = head;
        this.usage = usage;
        choice(Delta.BEGIN, null);
        events.beat(() -> text(""));
    }

    @Override
    public boolean isWritable() {
        return events.isWritable();
    }

    @Override
    public void text(String text) {
        choice(Delta.text(text), null);
    }

    @Override
    public void thought(String text) {
        choice(Delta.thought(text), null);
    }

    private void choice(Delta delta, @Nullable String finish) {
        send(List.of(new ChatChunk.Choice(0, delta, finish)), null);
    }

    private void send(List<ChatChunk.Choice> choices, @Nullable ChatUsage used) {
        events.send(new ChatChunk(head.id(), "chat.completion.chunk", head.created(), head.model(), choices, used));
    }

    @Override
    public void call(AskCall call) {
        called = true;
        choice(Delta.call(call.asToolCall(0)), null);
    }

    @Override
    public void done(Usage used) {
        choice(Delta.NOTHING, called ? "tool_calls" : "stop");
        if (usage) {
            send(List.of(), new ChatUsage(used.input(), used.output()));
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
