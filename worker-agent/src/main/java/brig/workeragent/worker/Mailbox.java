package brig.workeragent.worker;

import brig.protocol.control.Message;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for their turn, bounded by count and size, and the names of those that were taken: who does not
 * know whether a message arrived sends it again under its name. State owned by the worker's sequence.
 *
 * <p>Decisions 0042, 0133.
 */
final class Mailbox {
    static final int MESSAGES_MAX = 64;
    /** What all that waits may hold, in bytes, or here in characters. */
    static final long BYTES_MAX = 4L * 1024 * 1024;

    /** So many names are remembered, the newest. */
    static final int TAKEN_MAX = 1024;

    private final LinkedHashSet<String> taken = new LinkedHashSet<>();
    private final Queue<Message> messages = new ArrayDeque<>();
    private long characters;

    /** Adds a message; false where too much waits already. */
    boolean offer(Message message) {
        if (messages.size() >= MESSAGES_MAX || characters + message.content().length() > BYTES_MAX) {
            return false;
        }
        messages.add(message);
        characters += message.content().length();
        return true;
    }

    /** Whether a message of that name was taken before. */
    boolean hasTaken(Message message) {
        return message.id() != null && taken.contains(message.id());
    }

    /** From here on a message of its name is the same one again. */
    void take(Message message) {
        if (message.id() != null && taken.add(message.id()) && taken.size() > TAKEN_MAX) {
            taken.removeFirst();
        }
    }

    /** It was refused after all: under its name it may be tried again. */
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
