package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/**
 * What a worker-agent says to it; behind {@code ok} there are bytes both ways, behind a refusal nothing.
 *
 * @param ok null in a refusal
 * @param refusal null in an answer
 */
@Extensible
public record PortAnswer(@Nullable Done ok, @Flat @Nullable Refusal refusal) {
    /** The connection stands. */
    public static final PortAnswer CONNECTED = new PortAnswer(new Done(), null);

    public static PortAnswer refused(BrigException why) {
        return new PortAnswer(null, Refusal.of(why));
    }
}
