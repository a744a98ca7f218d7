package brig.formats.codex;

import brig.formats.adapter.Questions.Choice;
import brig.formats.adapter.Questions.Question;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The forms with which Codex, or a server of its tools, asks a person. A form that Brig cannot show has no questions, and
 * is declined. So is one for a secret, as no secret may be in a frame.
 */
final class CodexForms {
    private record Answered(Map<String, Words> answers) {}

    private record Words(List<String> answers) {}

    private record Elicited(String action, @Nullable JsonObject content) {}

    private CodexForms() {}

    static List<Question> questions(CodexRequest.Form form) {
        return switch (form) {
            case CodexRequest.UserInput(var itemId, var questions) ->
                questions.stream().anyMatch(CodexRequest.Asked::isSecret)
                        ? List.of()
                        : questions.stream().map(CodexForms::question).toList();
            case CodexRequest.Elicitation wanted -> question(wanted);
        };
    }

    private static Question question(CodexRequest.Asked asked) {
        return new Question(asked.header(), asked.question(), asked.options(), false, asked.isOther())
                .freeWithoutChoices();
    }

    /** Only a form with one field is one question. */
    private static List<Question> question(CodexRequest.Elicitation wanted) {
        if (!"form".equals(wanted.mode())
                || wanted.requestedSchema().properties().size() != 1) {
            return List.of();
        }
        CodexRequest.Property field =
                wanted.requestedSchema().properties().values().iterator().next();
        List<String> values = switch (field.type()) {
            case "boolean" -> List.of("true", "false");
            case "string" -> field.values();
            default -> null;
        };
        if (values == null || field.hasTitledValues()) {
            return List.of();
        }
        List<Choice> choices =
                values.stream().map(value -> new Choice(value, null)).toList();
        return List.of(new Question(wanted.serverName(), wanted.message(), choices, false, false).freeWithoutChoices());
    }

    /** @param words the answers to the form's questions; null if they are declined */
    static Record answer(CodexRequest.Form form, @Nullable List<List<String>> words) {
        return switch (form) {
            case CodexRequest.UserInput(var itemId, var questions) -> {
                Map<String, Words> answers = new LinkedHashMap<>();
                for (int i = 0; words != null && i < words.size(); i++) {
                    answers.put(questions.get(i).id(), new Words(words.get(i)));
                }
                yield new Answered(answers);
            }
            case CodexRequest.Elicitation wanted ->
                words == null
                        ? new Elicited("decline", null)
                        : new Elicited(
                                "accept", content(wanted, words.getFirst().getFirst()));
        };
    }

    private static JsonObject content(CodexRequest.Elicitation wanted, String text) {
        Map.Entry<String, CodexRequest.Property> field =
                wanted.requestedSchema().properties().entrySet().iterator().next();
        boolean isFlag = field.getValue().type().equals("boolean");
        return JsonObject.EMPTY.with(field.getKey(), isFlag ? (Object) text.equals("true") : text);
    }
}
