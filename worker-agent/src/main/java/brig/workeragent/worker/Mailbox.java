package brig.workeragent.worker;

import brig.protocol.control.Message;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for their turn, bounded by count and size, and the ids of accepted messages, which make sending
 * idempotent. Owned by the worker's sequence.
 *
 * <p>Decisions 0042, 0133.
 */
final class Mailbox {
    static final int MESSAGES_MAX = 64;
    /** Limit for all waiting messages, in bytes, here counted in characters. */
    static final long BYTES_MAX = 4L * 1024 * 1024;

    /** Number of remembered ids; the newest are kept. */
    static final int TAKEN_MAX = 1024;

    private final LinkedHashSet<String> taken = new LinkedHashSet<>();
    private final Queue<Message> messages = new ArrayDeque<>();
    private long characters;

    /** Adds a message; false if too many wait. */
    boolean offer(Message message) {
        if (messages.size() >= MESSAGES_MAX || characters + message.content().length() > BYTES_MAX) {
            return false;
        }
        messages.add(message);
        characters += message.content().length();
        return true;
    }

    /** Whether a message with that id was accepted before. */
    boolean hasTaken(Message message) {
        return message.id() != null && taken.contains(message.id());
    }

    /** Remembers the id: from now on a message with it is a repetition. */
    void take(Message message) {
        if (message.id() != null && taken.add(message.id()) && taken.size() > TAKEN_MAX) {
            taken.removeFirst();
        }
    }

    /** Forgets the id of a message that was refused after all, so that it may be sent again. */
    void forget(Message message) {
        if (message.id() != null) {
            taken.remove(message.id());
        }
    }

    @Nullable
    Message poll() {
        Message message = messages.poll();
        characters -= message == null ? 0 : message.content().length();
        return message;
    }
}
