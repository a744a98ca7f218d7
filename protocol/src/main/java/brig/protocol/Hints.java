package brig.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What a refusal says beside its code and its sentence. Null where there is nothing to say.
 *
 * @param retryAfterSeconds when to come again
 * @param queuePosition the place of the request in the queue, from 1
 * @param state the state of the spawn that it is about
 * @param sessionId the agent's own name of its session
 * @param messageId the message that was refused
 */
public record Hints(
        @Nullable Integer retryAfterSeconds,
        @Nullable Integer queuePosition,
        @Nullable String state,
        @Nullable String spawnId,
        @Nullable String sessionId,
        @Nullable String messageId) {
    public static final Hints NONE = new Hints(null, null, null, null, null, null);

    Hints withRetryAfterSeconds(@Nullable Integer seconds) {
        return new Hints(seconds, queuePosition, state, spawnId, sessionId, messageId);
    }

    Hints withQueuePosition(int position) {
        return new Hints(retryAfterSeconds, position, state, spawnId, sessionId, messageId);
    }

    Hints about(@Nullable String spawn, @Nullable String itsState) {
        return new Hints(retryAfterSeconds, queuePosition, itsState, spawn, sessionId, messageId);
    }

    Hints withSessionId(@Nullable String session) {
        return new Hints(retryAfterSeconds, queuePosition, state, spawnId, session, messageId);
    }

    Hints withMessageId(@Nullable String message) {
        return new Hints(retryAfterSeconds, queuePosition, state, spawnId, sessionId, message);
    }
}
