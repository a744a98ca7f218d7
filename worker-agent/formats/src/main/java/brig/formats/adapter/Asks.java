package brig.formats.adapter;

import brig.protocol.frame.Frame;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests of an agent until somebody answers them, at the latest until their deadline. Thread-safe.
 *
 * <p>Decision 0149.
 */
public interface Asks {
    /**
     * A request of an agent.
     *
     * @param agent the asking sub-agent; null for the agent itself
     * @param nativeId the agent's own id of the request
     * @param tool the tool call concerned
     * @param title one line that says what is asked
     * @param detail what to judge by
     * @param text whether a text may be the answer
     * @param fallback the option that is given if nobody answers
     */
    record Request(
            Frame.Ask.Kind kind,
            @Nullable String agent,
            String nativeId,
            @Nullable String tool,
            String title,
            @Nullable Object detail,
            List<Frame.Ask.Option> options,
            boolean text,
            String fallback) {}

    /** The answer: an option's id or a text. */
    record Reply(@Nullable String option, @Nullable String text) {}

    /**
     * Asks, and returns once the {@code ask} frame is written.
     *
     * @param reply called once, unless the request is withdrawn or the process ends; by any thread
     */
    void open(Request request, Consumer<Reply> reply) throws InterruptedException;

    /** The agent no longer waits for an answer to its request with that id. Unknown ids are ignored. */
    void withdraw(String nativeId);
}
