package brig.gateway.openai;

import brig.gateway.openai.message.OutputItem;
import brig.gateway.openai.message.ResponseEvent;
import java.util.List;

/**
 * An output item of a response while it is written, and its events: a message, or the agent's reasoning and actions.
 */
abstract sealed class GrowingItem {
    final String id;
    /** Its index in the response. */
    final int index;

    private final StringBuilder text = new StringBuilder();

    GrowingItem(String id, int index) {
        this.id = id;
        this.index = index;
    }

    /** A new item of that response. */
    static GrowingItem of(boolean isMessage, String responseId, int index) {
        String id = responseId + "_" + index;
        return isMessage ? new Message("msg_" + id, index) : new Reasoning("rs_" + id, index);
    }

    void append(String more) {
        text.append(more);
    }

    String text() {
        return text.toString();
    }

    abstract boolean isMessage();

    abstract OutputItem begun();

    abstract OutputItem completed();

    abstract ResponseEvent partAdded(long number);

    abstract ResponseEvent textDelta(long number, String delta);

    abstract ResponseEvent textDone(long number);

    abstract ResponseEvent partDone(long number);

    private static final class Message extends GrowingItem {
        Message(String id, int index) {
            super(id, index);
        }

        @Override
        boolean isMessage() {
            return true;
        }

        private OutputItem.Part part() {
            return new OutputItem.OutputText(text());
        }

        @Override
        OutputItem begun() {
            return new OutputItem.Message(id, "in_progress", List.of());
        }

        @Override
        OutputItem completed() {
            return new OutputItem.Message(id, "completed", List.of(part()));
        }

        @Override
        ResponseEvent partAdded(long number) {
            return new ResponseEvent.ContentPartAdded(number, id, index, 0, part());
        }

        @Override
        ResponseEvent textDelta(long number, String delta) {
            return new ResponseEvent.OutputTextDelta(number, id, index, 0, delta);
        }

        @Override
        ResponseEvent textDone(long number) {
            return new ResponseEvent.OutputTextDone(number, id, index, 0, text());
        }

        @Override
        ResponseEvent partDone(long number) {
            return new ResponseEvent.ContentPartDone(number, id, index, 0, part());
        }
    }

    private static final class Reasoning extends GrowingItem {
        Reasoning(String id, int index) {
            super(id, index);
        }

        @Override
        boolean isMessage() {
            return false;
        }

        private OutputItem.Part part() {
            return new OutputItem.SummaryText(text());
        }

        @Override
        OutputItem begun() {
            return new OutputItem.Reasoning(id, "in_progress", List.of());
        }

        @Override
        OutputItem completed() {
            return new OutputItem.Reasoning(id, "completed", List.of(part()));
        }

        @Override
        ResponseEvent partAdded(long number) {
            return new ResponseEvent.SummaryPartAdded(number, id, index, 0, part());
        }

        @Override
        ResponseEvent textDelta(long number, String delta) {
            return new ResponseEvent.SummaryTextDelta(number, id, index, 0, delta);
        }

        @Override
        ResponseEvent textDone(long number) {
            return new ResponseEvent.SummaryTextDone(number, id, index, 0, text());
        }

        @Override
        ResponseEvent partDone(long number) {
            return new ResponseEvent.SummaryPartDone(number, id, index, 0, part());
        }
    }
}
