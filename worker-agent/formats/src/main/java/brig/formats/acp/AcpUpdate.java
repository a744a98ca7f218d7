package brig.formats.acp;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An update of a session of an ACP agent. */
@Tagged("sessionUpdate")
@Foreign
@CamelCase
sealed interface AcpUpdate {
    record AgentMessageChunk(Content content) implements AcpUpdate {}

    record AgentThoughtChunk(Content content) implements AcpUpdate {}

    /** The first update of a tool call. */
    record ToolCall(@Flat CallFields call) implements AcpUpdate {}

    record ToolCallUpdate(@Flat CallFields call) implements AcpUpdate {}

    record Plan(List<Entry> entries) implements AcpUpdate {}

    record UsageUpdate(Cost cost) implements AcpUpdate {}

    /** An update that makes no frame. */
    sealed interface Untold extends AcpUpdate {}

    record UserMessageChunk() implements Untold {}

    record AvailableCommandsUpdate() implements Untold {}

    record CurrentModeUpdate() implements Untold {}

    record ConfigOptionUpdate() implements Untold {}

    record SessionInfoUpdate() implements Untold {}

    @Foreign
    record Content(
            @Default("something") String type, @Nullable String text) {}

    /**
     * The fields of a tool call, or those of them that changed.
     *
     * @param rawInput any JSON
     */
    @Foreign
    @CamelCase
    record CallFields(
            @Nullable String toolCallId,
            @Nullable String title,
            @Nullable String kind,
            @Nullable Status status,
            @Nullable Object rawInput,
            List<Shown> content,
            Output rawOutput) {
        /** The whole output of the call. */
        String written() {
            String shown = content.stream().map(Shown::line).collect(Collectors.joining("\n"));
            return !shown.isEmpty() ? shown : rawOutput.output() == null ? rawOutput.error() : rawOutput.output();
        }
    }

    enum Status {
        PENDING,
        IN_PROGRESS,
        COMPLETED,
        FAILED
    }

    /** @param type {@code content}, {@code diff} or {@code terminal} */
    @Foreign
    record Shown(@Default("") String type, @Default("") String path, Content content) {
        private String line() {
            return type.equals("diff") ? "changed " + path : content.text() == null ? "" : content.text();
        }
    }

    @Foreign
    record Output(@Nullable String output, @Default("") String error) {}

    @Foreign
    record Entry(@Nullable String content, @Nullable String status) {}

    /** @param amount the sum for the whole session */
    @Foreign
    record Cost(@Nullable Double amount, @Default("USD") String currency) {}
}
