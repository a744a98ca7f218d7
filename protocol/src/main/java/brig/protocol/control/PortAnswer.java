package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/** The answer of the worker-agent. After {@code ok} bytes flow both ways; after a refusal the connection ends. */
@Extensible
public record PortAnswer(@Nullable Done ok, @Flat @Nullable Refusal refusal) {
    /** The connection is established. */
    public static final PortAnswer CONNECTED = new PortAnswer(new Done(), null);

    public static PortAnswer refused(BrigException why) {
        return new PortAnswer(null, Refusal.of(why));
    }
}
