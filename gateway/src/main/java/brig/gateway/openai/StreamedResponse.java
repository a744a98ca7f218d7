package brig.gateway.openai;

import brig.gateway.openai.message.OutputItem;
import brig.gateway.openai.message.Response;
import brig.gateway.openai.message.ResponseEvent;
import brig.gateway.time.Timers;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** An answer as the events of a response ("Streaming events", OpenAI API reference); reasoning is its summary. */
public final class StreamedResponse implements Answer {
    private final SseWriter events;
    private final AnswerHeader head;
    private final List<GrowingItem> items = new ArrayList<>();
    private @Nullable AskCall call;
    private boolean open;
    private int characters;
    private long sent;

    /** Begins the answer. */
    public StreamedResponse(HttpServerResponse response, AnswerHeader head, Timers timers) {
        this.events = new SseWriter(response, timers);
        this.head = head;
        send(number -> new ResponseEvent.Created(number, inProgress()));
        events.beat(() -> send(number -> new ResponseEvent.InProgress(number, inProgress())));
    }

    @Override
    public boolean isWritable() {
        return events.isWritable();
    }

    @Override
    public void text(String text) {
        add(true, text);
    }

    @Override
    public void thought(String text) {
        add(false, text);
    }

    /** The last event repeats everything, so text beyond its limit is not sent, and the answer fails in the end. */
    private void add(boolean isMessage, String text) {
        characters += Math.min(text.length(), CHARACTERS_MAX + 1 - characters);
        if (characters > CHARACTERS_MAX) {
            return;
        }
        if (!open || items.getLast().isMessage() != isMessage) {
            closeItem();
            openItem(isMessage);
        }
        GrowingItem item = items.getLast();
        item.append(text);
        send(number -> item.textDelta(number, text));
    }

    private void openItem(boolean isMessage) {
        open = true;
        GrowingItem item = GrowingItem.of(isMessage, head.id(), items.size());
        items.add(item);
        send(number -> new ResponseEvent.ItemAdded(number, item.index, item.begun()));
        send(item::partAdded);
    }

    private void closeItem() {
        if (open) {
            open = false;
            GrowingItem item = items.getLast();
            send(item::textDone);
            send(item::partDone);
            send(number -> new ResponseEvent.ItemDone(number, item.index, item.completed()));
        }
    }

    private Response inProgress() {
        return response("in_progress", List.of(), null, null);
    }

    private List<OutputItem> output() {
        List<OutputItem> output = new ArrayList<>();
        items.forEach(item -> output.add(item.completed()));
        if (call != null) {
            output.add(call.item(head.id(), true));
        }
        return output;
    }

    private Response response(
            String status, List<OutputItem> output, Response.@Nullable Failure error, Response.@Nullable Usage used) {
        return new Response(head.id(), head.created(), head.model(), status, output, error, used);
    }

    /** @param event creates the event from its number */
    private void send(LongFunction<ResponseEvent> event) {
        events.send(event.apply(sent++));
    }

    @Override
    public void call(AskCall wanted) {
        closeItem();
        call = wanted;
        int index = items.size();
        OutputItem.FunctionCall item = wanted.item(head.id(), true);
        send(number -> new ResponseEvent.ItemAdded(number, index, wanted.item(head.id(), false)));
        send(number -> new ResponseEvent.ArgumentsDelta(number, item.id(), index, item.arguments()));
        send(number -> new ResponseEvent.ArgumentsDone(number, item.id(), index, item.arguments()));
        send(number -> new ResponseEvent.ItemDone(number, index, item));
    }

    @Override
    public void done(Usage used) {
        if (characters > CHARACTERS_MAX) {
            fail(BufferedAnswer.tooLong());
            return;
        }
        closeItem();
        Response.Usage usage = new Response.Usage(used.input(), used.output());
        send(number -> new ResponseEvent.Completed(number, response("completed", output(), null, usage)));
        events.end("");
    }

    @Override
    public void fail(ApiError why) {
        closeItem();
        Response.Failure error = new Response.Failure(why.code(), why.message());
        send(number -> new ResponseEvent.Failed(number, response("failed", output(), error, null)));
        events.end("");
    }

    @Override
    public void close() {
        events.close();
    }
}
