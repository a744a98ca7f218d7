package brig.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object that Brig sent: a frame of a stream (it has {@code seq}), a message about the connection, or an answer. Fields
 * and types that this client does not know are there too. A value of another type than was asked for counts as absent.
 *
 * @param fields values are {@code String}, {@code Long}, {@code Double}, {@code Boolean}, null, and maps and lists of them
 */
public record Frame(Map<String, @Nullable Object> fields) {
    /** {@code chunk}, {@code done}, {@code ask}…; empty where there is none. */
    public String type() {
        String type = text("type");
        return type == null ? "" : type;
    }

    /** The number in its stream, from 1; 0 for a message about the connection. */
    public long seq() {
        return number("seq", 0);
    }

    public boolean has(String name) {
        return fields.get(name) != null;
    }

    public @Nullable String text(String name) {
        return fields.get(name) instanceof String text ? text : null;
    }

    public String text(String name, String absent) {
        String text = text(name);
        return text == null ? absent : text;
    }

    public long number(String name, long absent) {
        return fields.get(name) instanceof Long number ? number : absent;
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    /** The objects of a list, such as {@code options} of an ask. */
    public List<Frame> frames(String name) {
        return fields.get(name) instanceof List<?> list
                ? list.stream().filter(Map.class::isInstance).map(Frame::of).toList()
                : List.of();
    }

    @SuppressWarnings("unchecked") // the keys of objects in JSON are texts
    private static Frame of(Object map) {
        return new Frame((Map<String, @Nullable Object>) map);
    }

    /** What the agent itself says: not what a tool writes, a sub-agent says, or the program says about itself. */
    boolean isOwnWord() {
        String stream = text("stream", "");
        return (stream.equals("text") || stream.equals("stdout")) && !has("tool") && !has("agent");
    }

    /** As JSON. */
    @Override
    public String toString() {
        return Json.write(fields);
    }
}
