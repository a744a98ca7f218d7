package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/**
 * A line of the worker-agent on a transfer connection; after a refusal the connection ends.
 *
 * @param ok the answer as a record, or as an object after reading; null in a refusal
 * @param refusal null in an answer
 */
@Extensible
public record TransferAnswer(
        @Nullable Object ok, @Flat @Nullable Refusal refusal) {
    public static TransferAnswer of(Record ok) {
        return new TransferAnswer(ok, null);
    }

    public static TransferAnswer refused(BrigException why) {
        return new TransferAnswer(null, Refusal.of(why));
    }

    /** The expected record. @throws BrigException the refusal, or if it does not fit */
    public <A extends Record> A as(Class<A> type) {
        if (refusal != null) {
            throw refusal.toException();
        }
        return JsonObject.element(ok).as(type);
    }
}
