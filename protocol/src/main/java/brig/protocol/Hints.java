package brig.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The optional fields of a refusal, beside its code and its sentence. Null means absent.
 *
 * @param retryAfterSeconds when to retry
 * @param queuePosition the position of the request in the queue, from 1
 * @param state the state of the spawn concerned
 * @param sessionId the agent's own session id
 * @param messageId the refused message
 * @param askId the ask whose answer is refused
 */
public record Hints(
        @Nullable Integer retryAfterSeconds,
        @Nullable Integer queuePosition,
        @Nullable String state,
        @Nullable String spawnId,
        @Nullable String sessionId,
        @Nullable String messageId,
        @Nullable String askId) {
    public static final Hints NONE = new Hints(null, null, null, null, null, null, null);

    Hints withRetryAfterSeconds(@Nullable Integer seconds) {
        return new Hints(seconds, queuePosition, state, spawnId, sessionId, messageId, askId);
    }

    Hints withQueuePosition(int position) {
        return new Hints(retryAfterSeconds, position, state, spawnId, sessionId, messageId, askId);
    }

    Hints about(@Nullable String spawn, @Nullable String itsState) {
        return new Hints(retryAfterSeconds, queuePosition, itsState, spawn, sessionId, messageId, askId);
    }

    Hints withSessionId(@Nullable String session) {
        return new Hints(retryAfterSeconds, queuePosition, state, spawnId, session, messageId, askId);
    }

    Hints withMessageId(@Nullable String message) {
        return new Hints(retryAfterSeconds, queuePosition, state, spawnId, sessionId, message, askId);
    }

    Hints withAskId(@Nullable String ask) {
        return new Hints(retryAfterSeconds, queuePosition, state, spawnId, sessionId, messageId, ask);
    }
}
