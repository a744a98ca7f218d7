package brig.workeragent.worker;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Messages that wait for their turn, bounded by count and size. State owned by the worker's sequence. */
final class Mailbox {
    static final int MESSAGES_MAX = 64;
    /** What all that waits may hold, in bytes, or here in characters. */
    static final long BYTES_MAX = 4L * 1024 * 1024;

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

    @Nullable Message poll() {
        Message message = messages.poll();
        characters -= message == null ? 0 : message.content().length();
        return message;
    }
}
