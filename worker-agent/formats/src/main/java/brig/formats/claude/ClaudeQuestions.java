package brig.formats.claude;

import brig.formats.adapter.Questions;
import brig.formats.adapter.Questions.Choice;
import brig.formats.adapter.Questions.Question;
import brig.formats.claude.ClaudeInput.Behavior;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tool with which Claude Code puts questions to a person. It asks whether it may use the tool; the answer carries
 * the tool's input, completed by what the person said.
 */
final class ClaudeQuestions {
    static final String TOOL = "AskUserQuestion";

    @Foreign
    private record Input(List<Asked> questions) {}

    @Foreign
    @CamelCase
    private record Asked(
            @Default("") String question, @Nullable String header, List<Choice> options, boolean multiSelect) {
        Question told() {
            return new Question(header, question, options, multiSelect, true);
        }
    }

    private ClaudeQuestions() {}

    private static List<Asked> asked(@Nullable Object input) {
        return JsonObject.element(input).as(Input.class).questions();
    }

    static Questions.Request request(String id, ClaudeMessage.CanUseTool call) {
        return new Questions.Request(
                id,
                call.agentId(),
                call.toolUseId(),
                call.toolName(),
                asked(call.input()).stream().map(Asked::told).toList());
    }

    /** @param answers of each question; null if they are declined */
    static Behavior behavior(@Nullable Object input, @Nullable List<List<String>> answers) {
        if (answers == null) {
            return new Behavior.Deny("nobody answered");
        }
        List<Asked> questions = asked(input);
        JsonObject.Builder texts = JsonObject.builder();
        for (int i = 0; i < answers.size(); i++) {
            texts.put(questions.get(i).question(), String.join(", ", answers.get(i)));
        }
        return new Behavior.Allow(JsonObject.element(input).with("answers", texts.build()));
    }
}
