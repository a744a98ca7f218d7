package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * A line of the worker-agent on a control connection: an answer or a refusal.
 *
 * @param id the id of the call; null for a line that could not be read
 * @param ok the answer as a record, or as an object after reading; null in a refusal
 * @param refusal null in an answer
 */
@Extensible
public record ControlAnswer(
        @WriteNull @Nullable Object id,
        @Nullable Object ok,
        @Flat @Nullable Refusal refusal) {
    public static ControlAnswer of(Object id, Record ok) {
        return new ControlAnswer(id, ok, null);
    }

    public static ControlAnswer refused(@Nullable Object id, BrigException why) {
        return new ControlAnswer(id, null, Refusal.of(why));
    }

    /** Converts the answer to the expected record. @throws BrigException if it does not fit */
    public <A extends Record> A as(Class<A> type) {
        return JsonObject.element(ok).as(type);
    }
}
