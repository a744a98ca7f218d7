package brig.gateway.openai;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.gateway.openai.message.OutputItem;
import brig.gateway.openai.message.ToolCall;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ask as a call of a tool of the client: its arguments are the ask, its id is the ask's, and its result is the answer.
 * Clients take asks so if they offer a tool of that name.
 *
 * <p>Decision 0155.
 */
public record AskCall(Frame.Ask ask) {
    static final String NAME = "brig_answer";

    private record Arguments(@Flat(tagged = false) Frame.Ask ask) {}

    /**
     * The result of such a call.
     *
     * @param content the id of an option, other words, or an object with {@code option} or {@code text}
     */
    public record Result(String askId, String content) {
        /** Null for the result of another tool. */
        static @Nullable Result of(@Nullable String callId, String content) {
            return callId != null && Ids.isAskId(callId) ? new Result(callId, content) : null;
        }

        /** The answer to that ask. */
        public CaptainLine.AnswerAsk answer(Frame.Ask ask) {
            String words = content.strip();
            JsonObject object = words.startsWith("{") ? object(words) : JsonObject.EMPTY;
            if (object.has("option") || object.has("text")) {
                return new CaptainLine.AnswerAsk(askId, object.text("option"), object.text("text"));
            }
            return ask.text() && !ask.offers(words)
                    ? new CaptainLine.AnswerAsk(askId, null, words)
                    : new CaptainLine.AnswerAsk(askId, words, null);
        }

        private static JsonObject object(String words) {
            try {
                return JsonObject.read(words.getBytes(UTF_8));
            } catch (BrigException justWords) {
                return JsonObject.EMPTY;
            }
        }
    }

    /** Whether one of the client's tools takes asks. */
    static boolean isOffered(@Nullable Object tools, @Nullable Object toolChoice) {
        return !"none".equals(toolChoice)
                && tools instanceof List<?> list
                && list.stream().anyMatch(AskCall::takesAsks);
    }

    private static boolean takesAsks(@Nullable Object tool) {
        if (!(tool instanceof JsonObject object)) {
            return false;
        }
        JsonObject named = object.value("function") instanceof JsonObject function ? function : object;
        return NAME.equals(named.value("name"));
    }

    String arguments() {
        return new String(Json.write(new Arguments(ask)), UTF_8);
    }

    /** @param completed whether the arguments are in it */
    OutputItem.FunctionCall item(String responseId, boolean completed) {
        return new OutputItem.FunctionCall(
                "fc_" + responseId,
                completed ? "completed" : "in_progress",
                ask.askId(),
                NAME,
                completed ? arguments() : "");
    }

    ToolCall asToolCall(@Nullable Integer index) {
        return new ToolCall(index, ask.askId(), "function", new ToolCall.Function(NAME, arguments()));
    }
}
