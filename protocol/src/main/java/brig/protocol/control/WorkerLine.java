package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.spawn.TerminalSize;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A line of the gateway on the connection to a worker, after the first one.
 *
 * @param ack every frame up to that number is stored; 0 if absent
 * @param input null for none
 * @param cancel whether to cancel the current message
 * @param keys for its agent's terminal; null for none
 * @param resize the new size of that terminal; null for the same
 */
@Extensible
public record WorkerLine(
        @OmitEmpty @Range long ack,
        @Nullable Message input,
        @OmitEmpty boolean cancel,
        @Nullable String keys,
        @Nullable TerminalSize resize) {
    public static final WorkerLine CANCEL = new WorkerLine(0, null, true, null, null);

    public static WorkerLine ack(long seq) {
        return new WorkerLine(seq, null, false, null, null);
    }

    /** The line of {@link #ack}. Not by way of the record: it is sent for each write of each stream's record. */
    public static byte[] ackLine(long seq) {
        return ("{\"ack\":" + seq + "}\n").getBytes(StandardCharsets.US_ASCII);
    }

    public static WorkerLine input(Message message) {
        return new WorkerLine(0, message, false, null, null);
    }

    public static WorkerLine keys(String keys) {
        return new WorkerLine(0, null, false, keys, null);
    }

    public static WorkerLine resize(TerminalSize size) {
        return new WorkerLine(0, null, false, null, size);
    }
}
