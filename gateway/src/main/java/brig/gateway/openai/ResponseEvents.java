package brig.gateway.openai;

import brig.gateway.time.Timers;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer as the events of a response ("Streaming events", OpenAI API reference); thoughts are its reasoning's summary. */
public final class ResponseEvents implements Answer {
    private final SseWriter events;
    private final AnswerHeader head;
    private final List<OutputItem> items = new ArrayList<>();
    private boolean open;
    private int characters;
    private long sent;

    /** Begins the answer. */
    public ResponseEvents(HttpServerResponse response, AnswerHeader head, Timers timers) {
        this.events = new SseWriter(response, timers);
        this.head = head;
        lifecycle("response.created", "in_progress", null);
        events.beat(() -> lifecycle("response.in_progress", "in_progress", null));
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

    /** The last event repeats all: what it could not hold is not told either, and the answer fails in the end. */
    private void add(boolean isMessage, String text) {
        characters += Math.min(text.length(), CHARACTERS_MAX + 1 - characters);
        if (characters > CHARACTERS_MAX) {
            return;
        }
        if (!open || items.getLast().isMessage() != isMessage) {
            closeItem();
            openItem(isMessage);
        }
        OutputItem item = items.getLast();
        item.text().append(text);
        ofPart(item.delta() + ".delta", "delta", text);
    }

    private void openItem(boolean isMessage) {
        open = true;
        items.add(new OutputItem(
                (isMessage ? "msg_" : "rs_") + head.id() + "_" + items.size(), isMessage, new StringBuilder()));
        OutputItem item = items.getLast();
        ofItem("response.output_item.added", item.object("in_progress"));
        ofPart(item.part() + ".added", "part", item.content());
    }

    private void closeItem() {
        if (open) {
            open = false;
            OutputItem item = items.getLast();
            ofPart(item.delta() + ".done", "text", item.text().toString());
            ofPart(item.part() + ".done", "part", item.content());
            ofItem("response.output_item.done", item.object("completed"));
        }
    }

    private void ofItem(String type, Map<String, Object> item) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("output_index", items.size() - 1);
        event.put("item", item);
        send(type, event);
    }

    private void ofPart(String type, String name, Object value) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("item_id", items.getLast().id());
        event.put("output_index", items.size() - 1);
        event.put(items.getLast().index(), 0);
        event.put(name, value);
        send(type, event);
    }

    private void lifecycle(String type, String status, @Nullable Usage used) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("response", response(status, used));
        send(type, event);
    }

    private Map<String, @Nullable Object> response(String status, @Nullable Usage used) {
        boolean begun = status.equals("in_progress");
        return ResponseObject.response(
                head,
                status,
                begun
                        ? List.of()
                        : items.stream().map(item -> item.object("completed")).toList(),
                used);
    }

    private void send(String type, Map<String, @Nullable Object> fields) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("type", type);
        event.put("sequence_number", sent++);
        event.putAll(fields);
        events.send(type, event);
    }

    @Override
    public void done(Usage used) {
        if (characters > CHARACTERS_MAX) {
            fail(BufferedAnswer.tooLong());
            return;
        }
        closeItem();
        lifecycle("response.completed", "completed", used);
        events.end("");
    }

    @Override
    public void fail(ApiError why) {
        closeItem();
        Map<String, @Nullable Object> response = response("failed", null);
        response.put("error", Map.of("code", why.code(), "message", why.message()));
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("response", response);
        send("response.failed", event);
        events.end("");
    }

    @Override
    public void close() {
        events.close();
    }
}
