package brig.workeragent.mock;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An input line of Claude Code, limited to what the mock uses. */
@Tagged("type")
@Foreign
sealed interface ClaudeInput {
    record User(Said message) implements ClaudeInput {}

    @Foreign
    record Said(List<Text> content) {}

    @Foreign
    record Text(@Default("") String text) {}

    record ControlRequest(
            @Default("") String requestId, @Nullable Request request) implements ClaudeInput {}

    @Tagged("subtype")
    @Foreign
    @CamelCase
    sealed interface Request {
        record Initialize(@Default("") String appendSystemPrompt) implements Request {}

        record Interrupt() implements Request {}
    }

    /** The answer to a question. */
    record ControlResponse(Answer response) implements ClaudeInput {}

    @Foreign
    record Answer(@Default("") String requestId, Behavior response) {}

    @Foreign
    record Behavior(@Default("") String behavior) {}
}
