package brig.formats.acp;

import brig.formats.adapter.Questions.Choice;
import brig.formats.adapter.Questions.Question;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A notification or request of an ACP agent, by its method. */
@Tagged(value = "method", content = "params")
@Foreign
@CamelCase
sealed interface AcpCall {
    /**
     * One line with a call.
     *
     * @param id the id that the answer repeats; null for a notification
     * @param call null if Brig does not serve the method
     */
    @Foreign
    record Line(@Nullable Object id, @Flat @Nullable AcpCall call) {}

    /** @param update null if its kind is unknown */
    @Name("session/update")
    record SessionUpdate(@Nullable AcpUpdate update) implements AcpCall {}

    /** An event that OpenCode's plugin forwards. */
    @Name("opencode/event")
    record BusEvent(@Flat @Nullable OpenCodeEvent event) implements AcpCall {}

    /** The agent no longer waits for the answer to that request. */
    @Name("$/cancel_request")
    record CancelRequest(@Nullable Object requestId) implements AcpCall {}

    /** Questions that OpenCode's plugin passes on. */
    @Name("opencode/question")
    record AskQuestions(@Default("") String sessionID, OpenCodeEvent.Tool tool, List<Asked> questions)
            implements AcpCall {}

    /** @param custom false if only the options are answers */
    @Foreign
    record Asked(
            @Nullable String header,
            @Default("") String question,
            List<Choice> options,
            boolean multiple,
            @Nullable Boolean custom) {
        Question told() {
            return new Question(header, question, options, multiple, !Boolean.FALSE.equals(custom));
        }
    }

    /**
     * A request to use a tool, which waits until an option is chosen.
     *
     * @param sessionId the session that asks: with OpenCode's plugin also a sub-agent's
     */
    @Name("session/request_permission")
    record RequestPermission(@Default("") String sessionId, AcpUpdate.CallFields toolCall, List<Option> options)
            implements AcpCall {
        /** The offered option with the narrowest effect; null if none fits. */
        @Nullable
        String option(boolean allow) {
            for (Kind kind : allow
                    ? List.of(Kind.ALLOW_ONCE, Kind.ALLOW_ALWAYS)
                    : List.of(Kind.REJECT_ONCE, Kind.REJECT_ALWAYS)) {
                for (Option option : options) {
                    if (option.kind() == kind) {
                        return option.optionId();
                    }
                }
            }
            return null;
        }
    }

    enum Kind {
        ALLOW_ONCE,
        ALLOW_ALWAYS,
        REJECT_ONCE,
        REJECT_ALWAYS
    }

    @Foreign
    @CamelCase
    record Option(@Nullable Kind kind, @Nullable String optionId) {}
}
