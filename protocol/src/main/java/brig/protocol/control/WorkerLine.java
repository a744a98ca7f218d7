package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import org.jspecify.annotations.Nullable;

/**
 * A line of the gateway on a worker's socket.
 *
 * @param resume the sequence number of the next frame wanted, in the first line; 0 in others
 * @param ack every frame up to that number is stored; 0 if absent
 * @param input null for none
 * @param cancel whether to cancel the current message
 */
@Extensible
public record WorkerLine(
        @OmitEmpty @Range(min = 1) long resume,
        @OmitEmpty @Range long ack,
        @Nullable Message input,
        @OmitEmpty boolean cancel) {
    public static final WorkerLine CANCEL = new WorkerLine(0, 0, null, true);

    public static WorkerLine resume(long seq) {
        return new WorkerLine(seq, 0, null, false);
    }

    public static WorkerLine ack(long seq) {
        return new WorkerLine(0, seq, null, false);
    }

    public static WorkerLine input(Message message) {
        return new WorkerLine(0, 0, message, false);
    }
}
