package brig.formats.claude;

import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A streaming event of the model's API. */
@Tagged("type")
@Foreign
sealed interface ClaudeEvent {
    record MessageStart(Begun message) implements ClaudeEvent {}

    record ContentBlockStart(@Nullable ClaudeBlock contentBlock) implements ClaudeEvent {}

    record ContentBlockDelta(Delta delta) implements ClaudeEvent {}

    record ContentBlockStop() implements ClaudeEvent {}

    record MessageDelta() implements ClaudeEvent {}

    record MessageStop() implements ClaudeEvent {}

    record Ping() implements ClaudeEvent {}

    @Name("error")
    record Failed() implements ClaudeEvent {}

    @Foreign
    record Begun(@Default("") String id) {}

    @Foreign
    record Delta(@Default("") String text, @Default("") String thinking) {}
}
