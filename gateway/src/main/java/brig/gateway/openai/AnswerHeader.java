package brig.gateway.openai;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What every piece of an answer says of it.
 *
 * @param id with the prefix that the form wants
 * @param created seconds since 1970
 * @param model the agent
 */
public record AnswerHeader(String id, long created, String model) {
    /** The same with that in front of its id. */
    public AnswerHeader as(String prefix) {
        return new AnswerHeader(prefix + id, created, model);
    }

    /** The fields of an object of that kind; {@code time} is what its form calls the time. */
    Map<String, @Nullable Object> object(String kind, String time) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("id", id);
        object.put("object", kind);
        object.put(time, created);
        object.put("model", model);
        return object;
    }
}
