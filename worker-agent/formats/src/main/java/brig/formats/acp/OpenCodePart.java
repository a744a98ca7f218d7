package brig.formats.acp;

import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A part of an OpenCode message. */
@Tagged("type")
@Foreign
@CamelCase
sealed interface OpenCodePart {
    String messageID();

    @Name("step-start")
    record StepStart(@Default("") String messageID) implements OpenCodePart {}

    /** A model call ended. */
    @Name("step-finish")
    record StepFinish(
            @Default("") String messageID,
            Tokens tokens,
            @Nullable Double cost) implements OpenCodePart {
        TokenUsage usage() {
            return new TokenUsage(
                    tokens.input(), tokens.output(), tokens.cache().read(), cost);
        }
    }

    /** Text of the agent; {@code time.end} is set once it is complete. */
    sealed interface Said extends OpenCodePart {
        String id();

        String text();

        Time time();
    }

    /** @param synthetic whether OpenCode itself inserted it */
    record Text(
            @Default("") String id,
            @Default("") String messageID,
            @Default("") String text,
            Time time,
            boolean synthetic)
            implements Said {}

    record Reasoning(
            @Default("") String id,
            @Default("") String messageID,
            @Default("") String text,
            Time time) implements Said {}

    record Tool(
            @Default("") String messageID,
            @Default("") String callID,
            @Nullable String tool,
            State state) implements OpenCodePart {}

    @Foreign
    record Tokens(long input, long output, Cache cache) {}

    @Foreign
    record Cache(long read) {}

    @Foreign
    record Time(@Nullable Object end) {}

    /** The state of a tool call. */
    @Foreign
    record State(
            @Default("running") Status status,
            @Nullable String title,
            @Nullable JsonObject input,
            @Nullable String output,
            @Nullable String error,
            Metadata metadata) {}

    enum Status {
        PENDING(Progress.PENDING),
        RUNNING(Progress.RUNNING),
        COMPLETED(Progress.COMPLETED),
        ERROR(Progress.FAILED);

        final Progress progress;

        Status(Progress progress) {
            this.progress = progress;
        }
    }

    /**
     * Metadata that the tool itself reports.
     *
     * @param output the output so far
     * @param sessionId the sub-agent's session, for the tool {@code task}
     */
    @Foreign
    @CamelCase
    record Metadata(@Default("") String output, @Nullable String sessionId, boolean background) {}

    /** The arguments of the tool {@code task}. */
    @Foreign
    record TaskInput(
            @Nullable String subagentType, @Nullable String prompt) {
        static final TaskInput NONE = new TaskInput(null, null);
    }
}
