package brig.gateway.cluster;

import brig.protocol.BrigException;
import brig.protocol.control.Refusal;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link Question}: one of the three.
 *
 * @param moved the gateway does not own the host; nothing was done
 */
@Extensible
record Reply(
        @Nullable JsonObject ok,
        @Nullable Refusal refusal,
        @OmitEmpty boolean moved) {
    static final Reply MOVED = new Reply(null, null, true);

    static Reply of(JsonObject ok) {
        return new Reply(ok, null, false);
    }

    static Reply refused(BrigException why) {
        return new Reply(null, Refusal.of(why), false);
    }
}
