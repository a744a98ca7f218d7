package brig.loadtests.client;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** One connection that reads a stream, over any transport. Used by one thread. */
public interface Reader extends AutoCloseable {
    /** The next event; {@link Event.End} for ever after the end. */
    public Event next() throws IOException;

    /** Sends a line unchanged, valid or not. */
    public void say(String line) throws IOException;

    /** Sends a line of section 3. */
    public default void say(Record line) throws IOException {
        say(new String(Json.write(line), StandardCharsets.UTF_8));
    }

    /** Sends an object. */
    public default void say(JsonObject line) throws IOException {
        say(new String(Json.write(line), StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException;

    /** The next event that is neither a frame nor a comment: the answer to a line. */
    public default Event answer() throws IOException {
        Event event = next();
        while (event instanceof Event.Frame || event instanceof Event.Comment || event instanceof Event.Gap) {
            event = next();
        }
        return event;
    }

    /** The error code with which this connection, or a line of it, was refused. */
    public default String refusal() throws IOException {
        return switch (answer()) {
            case Event.Refused refused -> refused.code();
            case Event.Note note when note.type().equals("error") -> note.code();
            case Event other -> throw new Violation("there was no refusal, but " + other);
        };
    }

    /** How the connection ended; skips everything before. */
    public default Event.End end() throws IOException {
        Event event = next();
        while (!(event instanceof Event.End)) {
            event = next();
        }
        return (Event.End) event;
    }
}
