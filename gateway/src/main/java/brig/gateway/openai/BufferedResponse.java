package brig.gateway.openai;

import brig.gateway.openai.message.OutputItem;
import brig.gateway.openai.message.OutputItem.OutputText;
import brig.gateway.openai.message.OutputItem.SummaryText;
import brig.gateway.openai.message.Response;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;

/** An answer as one {@code response} object. */
public final class BufferedResponse extends BufferedAnswer {
    private final AnswerHeader head;

    public BufferedResponse(HttpServerResponse response, AnswerHeader head) {
        super(response);
        this.head = head;
    }

    @Override
    Response whole(String said, String thoughts, Usage used) {
        List<OutputItem> output = new ArrayList<>();
        if (!thoughts.isEmpty()) {
            output.add(new OutputItem.Reasoning("rs_" + head.id(), "completed", List.of(new SummaryText(thoughts))));
        }
        output.add(new OutputItem.Message("msg_" + head.id(), "completed", List.of(new OutputText(said))));
        AskCall call = call();
        if (call != null) {
            output.add(call.item(head.id(), true));
        }
        return new Response(
                head.id(),
                head.created(),
                head.model(),
                "completed",
                output,
                null,
                new Response.Usage(used.input(), used.output()));
    }
}
