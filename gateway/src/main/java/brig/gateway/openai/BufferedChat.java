package brig.gateway.openai;

import brig.gateway.openai.message.ChatCompletion;
import brig.gateway.openai.message.ChatUsage;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/** An answer as one {@code chat.completion} object. */
public final class BufferedChat extends BufferedAnswer {
    private final AnswerHeader head;

    public BufferedChat(HttpServerResponse response, AnswerHeader head) {
        super(response);
        this.head = head;
    }

    @Override
    ChatCompletion whole(String said, String thoughts, Usage used) {
        AskCall call = call();
        ChatCompletion.Said message = new ChatCompletion.Said(
                "assistant",
                said,
                thoughts.isEmpty() ? null : thoughts,
                call == null ? List.of() : List.of(call.asToolCall(null)));
        return new ChatCompletion(
                head.id(),
                "chat.completion",
                head.created(),
                head.model(),
                List.of(new ChatCompletion.Choice(0, message, call == null ? "stop" : "tool_calls")),
                new ChatUsage(used.input(), used.output()));
    }
}
