package brig.acp;

import org.jspecify.annotations.Nullable;

/** A prompt of the editor that waits for its answer. Guarded by its conversation. */
final class PendingPrompt {
    /** The id of the editor's request. */
    final @Nullable Object request;

    boolean cancelled;
    /** It was cancelled while there was no connection. */
    boolean unheard;
    /** It was cancelled before its turn came: the editor has its answer, the turn is still to be stopped. */
    boolean answered;

    PendingPrompt(@Nullable Object request) {
        this.request = request;
    }
}
