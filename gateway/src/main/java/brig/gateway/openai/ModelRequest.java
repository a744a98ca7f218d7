package brig.gateway.openai;

import brig.gateway.openai.message.ChatRequest;
import brig.gateway.openai.message.RequestMessage;
import brig.gateway.openai.message.ResponseRequest;
import brig.gateway.openai.message.TextFormat;
import brig.protocol.BrigException;
import brig.protocol.json.Fields;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks a model ("Create chat completion" and "Create a model response", OpenAI API reference). A model is an
 * agent profile. Of the many fields those count that mean something to an agent; how a model draws its words (temperature
 * and the like) and the client's own tools do not, and are let pass. What would make the answer another one than the
 * client counts on is refused by name.
 *
 * <p>Decision 0071.
 *
 * @param agent the profile
 * @param system what is said about the talk as a whole; null for nothing
 * @param earlier what was said before the last words of the user, oldest first
 * @param prompt the last words of the user
 * @param stream whether the answer comes as events
 * @param usage whether the events end with the tokens that were used
 * @param previous the answer that this goes on from; null for none
 */
public record ModelRequest(
        String agent,
        @Nullable String system,
        List<Said> earlier,
        String prompt,
        boolean stream,
        boolean usage,
        @Nullable String previous) {
    /** One message: of the user, or else of the agent. */
    public record Said(boolean byUser, String text) {}

    /** What a chat asks. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest of(ChatRequest body) {
        requireAnswerable("response_format", body.responseFormat(), body.toolChoice());
        if (body.n() != null && body.n() != 1) {
            throw Fields.invalid("n", "must be 1: an agent answers once");
        }
        if (body.logprobs()) {
            throw Fields.invalid("logprobs", "are not known of an agent");
        }
        if (body.modalities() != null && !body.modalities().equals(List.of("text"))) {
            throw Fields.invalid("modalities", "must be text");
        }
        Messages talk = new Messages();
        body.messages().forEach(message -> talk.add(message.requiredRole(), message.text()));
        boolean usage = body.streamOptions() != null && body.streamOptions().includeUsage();
        return talk.request(body.model(), "messages", body.stream(), usage, null);
    }

    /** What a request for a response asks. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest of(ResponseRequest body) {
        requireAnswerable(
                "text.format", body.text() == null ? null : body.text().format(), body.toolChoice());
        if (body.background()) {
            throw Fields.invalid("background", "must be false: the answer comes with the request");
        }
        Messages talk = new Messages();
        talk.add("system", body.instructions() == null ? "" : body.instructions());
        switch (body.input()) {
            case null -> {}
            case String text -> talk.add("user", text);
            case List<?> items -> items.stream().map(ModelRequest::item).forEach(talk::addItem);
            default -> throw noItems();
        }
        return talk.request(body.model(), "input", body.stream(), true, body.previousResponseId());
    }

    private static RequestMessage item(@Nullable Object element) {
        if (!(element instanceof JsonObject object)) {
            throw noItems();
        }
        return object.as(RequestMessage.class);
    }

    private static BrigException noItems() {
        return Fields.invalid("input", "must be a list of objects");
    }

    /** An agent has tools of its own, calls none of the client's, and answers in words. */
    private static void requireAnswerable(
            String formatField, @Nullable TextFormat format, @Nullable Object toolChoice) {
        if (format != null && !format.isPlain()) {
            throw Fields.invalid(formatField, "must be of the type text: an agent answers in words of its own");
        }
        if (toolChoice != null && !toolChoice.equals("auto") && !toolChoice.equals("none")) {
            throw Fields.invalid("tool_choice", "must be auto or none: an agent calls no tools of its client");
        }
    }

    /** What was said, as it is read. */
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
                default -> throw Fields.invalid("role", "must be system, developer, user, assistant or tool");
            }
        }

        void addItem(RequestMessage item) {
            if (item.isMessage()) {
                add(item.requiredRole(), item.text());
            }
        }

        /** The last words of the user are all that came after the model's last. */
        ModelRequest request(
                @Nullable String model, String list, boolean stream, boolean usage, @Nullable String previous) {
            int from = said.size();
            while (from > 0 && said.get(from - 1).byUser()) {
                from--;
            }
            if (from == said.size()) {
                throw Fields.invalid(list, "must end with a message of the user");
            }
            if (model == null || model.isEmpty()) {
                throw Fields.invalid("model", "is missing");
            }
            return new ModelRequest(
                    model,
                    system.isEmpty() ? null : String.join("\n\n", system),
                    List.copyOf(said.subList(0, from)),
                    said.subList(from, said.size()).stream().map(Said::text).collect(Collectors.joining("\n\n")),
                    stream,
                    usage,
                    previous);
        }
    }

    /** What an agent is told that was not there: all of the talk, the last words at its end. */
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
