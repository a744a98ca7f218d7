package brig.gateway.openai;

import brig.protocol.json.Fields;
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
    /** One message; {@code role} is {@code user} or {@code assistant}. */
    public record Said(String role, String text) {}

    /** The body of {@code POST /v1/chat/completions}. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest ofChat(Fields body) {
        requireAnswerable(body, "response_format", body.object("response_format"));
        if (body.number("n", Integer.MIN_VALUE, Integer.MAX_VALUE, 1) != 1) {
            throw Fields.invalid("n", "must be 1: an agent answers once");
        }
        if (body.flag("logprobs")) {
            throw Fields.invalid("logprobs", "are not known of an agent");
        }
        if (body.has("modalities") && !body.texts("modalities").equals(List.of("text"))) {
            throw Fields.invalid("modalities", "must be text");
        }
        Messages talk = new Messages();
        for (Fields message : body.objects("messages")) {
            talk.add(message.requiredText("role"), text(message, "content"));
        }
        return talk.request(body, "messages", body.object("stream_options").flag("include_usage"), null);
    }

    /** The body of {@code POST /v1/responses}. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static ModelRequest ofResponses(Fields body) {
        requireAnswerable(body, "text.format", body.object("text").object("format"));
        if (body.flag("background")) {
            throw Fields.invalid("background", "must be false: the answer comes with the request");
        }
        Messages talk = new Messages();
        talk.add("system", body.text("instructions", ""));
        if (body.asMap().get("input") instanceof String text) {
            talk.add("user", text);
        } else {
            for (Fields item : body.objects("input")) {
                // What the model thought and called is no part of what was said.
                if (item.text("type", "message").equals("message")) {
                    talk.add(item.requiredText("role"), text(item, "content"));
                }
            }
        }
        return talk.request(body, "input", true, body.text("previous_response_id"));
    }

    /** An agent has tools of its own, calls none of the client's, and answers in words. */
    private static void requireAnswerable(Fields body, String formatField, Fields format) {
        if (!format.text("type", "text").equals("text")) {
            throw Fields.invalid(formatField, "must be of the type text: an agent answers in words of its own");
        }
        Object choice = body.asMap().get("tool_choice");
        if (choice != null && !choice.equals("auto") && !choice.equals("none")) {
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
                case "user" -> said.add(new Said("user", text));
                case "assistant", "tool", "function" -> said.add(new Said("assistant", text));
                default -> throw Fields.invalid("role", "must be system, developer, user, assistant or tool");
            }
        }

        /** The last words of the user are all that came after the model's last. */
        ModelRequest request(Fields body, String list, boolean usage, @Nullable String previous) {
            int from = said.size();
            while (from > 0 && said.get(from - 1).role().equals("user")) {
                from--;
            }
            if (from == said.size()) {
                throw Fields.invalid(list, "must end with a message of the user");
            }
            return new ModelRequest(
                    body.requiredText("model"),
                    system.isEmpty() ? null : String.join("\n\n", system),
                    List.copyOf(said.subList(0, from)),
                    said.subList(from, said.size()).stream().map(Said::text).collect(Collectors.joining("\n\n")),
                    body.flag("stream"),
                    usage,
                    previous);
        }
    }

    /** A text, or a list of parts that are texts; an assistant that only called tools said nothing. */
    private static String text(Fields message, String name) {
        Object content = message.asMap().get(name);
        if (content == null || content instanceof String) {
            return content == null ? "" : (String) content;
        }
        StringBuilder text = new StringBuilder();
        for (Fields part : message.objects(name)) {
            String type = part.text("type", "text");
            if (!type.equals("text") && !type.equals("input_text") && !type.equals("output_text")) {
                throw Fields.invalid(name, "has a part of type '" + type + "'; an agent takes text");
            }
            text.append(part.text("text", ""));
        }
        return text.toString();
    }

    /** What an agent is told that was not there: all of the talk, the last words at its end. */
    public String wholeTalk() {
        if (earlier.isEmpty()) {
            return prompt;
        }
        StringBuilder talk = new StringBuilder("Our talk so far:\n");
        earlier.forEach(one -> talk.append('\n')
                .append(one.role().equals("user") ? "User: " : "You: ")
                .append(one.text())
                .append('\n'));
        return talk.append("\nNow:\n").append(prompt).toString();
    }
}
