package brig.gateway.openai;

import brig.gateway.openai.message.ChatRequest;
import brig.gateway.openai.message.RequestMessage;
import brig.gateway.openai.message.ResponseRequest;
import brig.gateway.openai.message.TextFormat;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A client's request to a model ("Create chat completion" and "Create a model response", OpenAI API reference). A model
 * is an agent profile. Fields without meaning for an agent, such as sampling parameters and the client's own tools, are
 * ignored. Fields that would change the form of the answer are refused by name.
 *
 * <p>Decision 0071.
 *
 * @param agent the profile
 * @param system instructions for the whole conversation; null for none
 * @param earlier the messages before the user's last ones, oldest first
 * @param prompt the user's last messages
 * @param stream whether the answer comes as events
 * @param usage whether the events end with the usage
 * @param previous the answer that this continues; null for none
 * @param takesAsks whether the client takes asks as calls of its tool
 * @param result the answer to an ask, with which the request ends; null if it ends with a message of the user
 */
public record ModelRequest(
        String agent,
        @Nullable String system,
        List<Said> earlier,
        String prompt,
        boolean stream,
        boolean usage,
        @Nullable String previous,
        boolean takesAsks,
        AskCall.@Nullable Result result) {
    /** One message, of the user or of the agent. */
    public record Said(boolean byUser, String text) {}

    /** Converts a chat completion request. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest of(ChatRequest body) {
        requireAnswerable("response_format", body.responseFormat(), body.toolChoice());
        if (body.n() != null && body.n() != 1) {
            throw BrigException.invalid("n", "must be 1: an agent answers once");
        }
        if (body.logprobs()) {
            throw BrigException.invalid("logprobs", "are not known of an agent");
        }
        if (body.modalities() != null && !body.modalities().equals(List.of("text"))) {
            throw BrigException.invalid("modalities", "must be text");
        }
        Messages talk = new Messages();
        body.messages().forEach(message -> talk.add(message.requiredRole(), message.text()));
        boolean usage = body.streamOptions() != null && body.streamOptions().includeUsage();
        AskCall.Result result = body.messages().isEmpty()
                ? null
                : AskCall.Result.of(
                        body.messages().getLast().toolCallId(),
                        body.messages().getLast().result());
        return talk.request(body.model(), "messages", body.stream(), usage, null, result)
                .takingAsks(AskCall.isOffered(body.tools(), body.toolChoice()));
    }

    /** Converts a response request. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest of(ResponseRequest body) {
        requireAnswerable(
                "text.format", body.text() == null ? null : body.text().format(), body.toolChoice());
        if (body.background()) {
            throw BrigException.invalid("background", "must be false: the answer comes with the request");
        }
        Messages talk = new Messages();
        talk.add("system", body.instructions() == null ? "" : body.instructions());
        AskCall.Result result = null;
        switch (body.input()) {
            case null -> {}
            case String text -> talk.add("user", text);
            case List<?> elements -> {
                List<RequestMessage> items =
                        elements.stream().map(ModelRequest::item).toList();
                items.forEach(talk::addItem);
                if (!items.isEmpty()) {
                    result = AskCall.Result.of(
                            items.getLast().callId(), items.getLast().result());
                }
            }
            default -> throw noItems();
        }
        return talk.request(body.model(), "input", body.stream(), true, body.previousResponseId(), result)
                .takingAsks(AskCall.isOffered(body.tools(), body.toolChoice()));
    }

    private static RequestMessage item(@Nullable Object element) {
        if (!(element instanceof JsonObject object)) {
            throw noItems();
        }
        return object.as(RequestMessage.class);
    }

    private static BrigException noItems() {
        return BrigException.invalid("input", "must be a list of objects");
    }

    /** An agent uses its own tools, never the client's, and answers in plain text. */
    private static void requireAnswerable(
            String formatField, @Nullable TextFormat format, @Nullable Object toolChoice) {
        if (format != null && !format.isPlain()) {
            throw BrigException.invalid(formatField, "must be of the type text: an agent answers in words of its own");
        }
        if (toolChoice != null && !toolChoice.equals("auto") && !toolChoice.equals("none")) {
            throw BrigException.invalid("tool_choice", "must be auto or none: an agent calls no tools of its client");
        }
    }

    /** Collects the messages. */
    private static final class Messages {
        private final List<String> system = new ArrayList<>();
        private final List<Said> said = new ArrayList<>();

        void add(String role, String text) {
            switch (role) {
                case "system", "developer" -> {
                    if (!text.isEmpty()) {
                        system.add(text);
                    }
                }
                case "user" -> said.add(new Said(true, text));
                case "assistant", "tool", "function" -> said.add(new Said(false, text));
                default -> throw BrigException.invalid("role", "must be system, developer, user, assistant or tool");
            }
        }

        void addItem(RequestMessage item) {
            if (item.isMessage()) {
                add(item.requiredRole(), item.text());
            }
        }

        /** The prompt is everything after the model's last message. */
        ModelRequest request(
                @Nullable String model,
                String list,
                boolean stream,
                boolean usage,
                @Nullable String previous,
                AskCall.@Nullable Result result) {
            int from = said.size();
            while (from > 0 && said.get(from - 1).byUser()) {
                from--;
            }
            if (from == said.size() && result == null) {
                throw BrigException.invalid(list, "must end with a message of the user");
            }
            if (model == null || model.isEmpty()) {
                throw BrigException.invalid("model", "is missing");
            }
            return new ModelRequest(
                    model,
                    system.isEmpty() ? null : String.join("\n\n", system),
                    List.copyOf(said.subList(0, from)),
                    said.subList(from, said.size()).stream().map(Said::text).collect(Collectors.joining("\n\n")),
                    stream,
                    usage,
                    previous,
                    false,
                    result);
        }
    }

    private ModelRequest takingAsks(boolean asks) {
        return new ModelRequest(agent, system, earlier, prompt, stream, usage, previous, asks, result);
    }

    /** The prompt for an agent new to the conversation: all messages, the last ones at the end. */
    public String wholeTalk() {
        if (earlier.isEmpty()) {
            return prompt;
        }
        StringBuilder talk = new StringBuilder("Our talk so far:\n");
        earlier.forEach(one -> talk.append('\n')
                .append(one.byUser() ? "User: " : "You: ")
                .append(one.text())
                .append('\n'));
        return talk.append("\nNow:\n").append(prompt).toString();
    }
}
