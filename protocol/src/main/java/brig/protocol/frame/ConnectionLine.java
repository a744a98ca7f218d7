package brig.protocol.frame;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Hints;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line about one connection. It has no sequence number and is not part of a stream (PROTOCOL.md section 2.2). The
 * gateway may be newer than its client.
 */
@Tagged("type")
@Extensible
public sealed interface ConnectionLine {
    /**
     * The connection may read; a captain's may also write.
     *
     * @param role {@code captain} or {@code watcher}
     * @param from the number of the first frame to come
     * @param state the spawn's state
     */
    record Authenticated(String spawnId, String taskId, String role, String epoch, long from, String state)
            implements ConnectionLine {}

    /**
     * Frames {@code from} to {@code to}, both inclusive, will not come on this connection.
     *
     * @param reason {@code evicted}, {@code record_lost}, {@code record_damaged} or {@code epoch_changed}
     * @param epoch the new epoch, with {@code epoch_changed}
     */
    record Gap(long from, long to, String reason, @Nullable String epoch) implements ConnectionLine {
        /** The stream began anew at 1 and does not contain the frame that the client wants. */
        public static Gap ofEpoch(long seq, String epoch) {
            return new Gap(seq, seq, "epoch_changed", epoch);
        }
    }

    /**
     * A refused line of the client, or the announcement that the connection will be closed.
     *
     * @param error a sentence for a person
     * @param code the error code's name; a newer gateway may have others
     * @param epoch the epoch of the stream; present, with {@code from}, if the connection will be closed
     * @param from the first frame not sent, at which to resume; 0 if there is nothing to resume
     * @param id the session's name as the client gave it, on a multiplexed connection
     */
    @Name("error")
    record Refused(
            String error,
            String code,
            @Flat Hints hints,
            @Nullable String epoch,
            @OmitEmpty long from,
            @Nullable String id)
            implements ConnectionLine {
        /** A notice that requires no action of the client. */
        public static Refused of(ErrorCode code, String error) {
            return new Refused(error, code.name(), Hints.NONE, null, 0, null);
        }

        /** The last line of a connection that can be resumed. */
        public static Refused last(ErrorCode code, String error, String epoch, long from) {
            return new Refused(error, code.name(), Hints.NONE, epoch, from, null);
        }

        public static Refused of(BrigException refusal) {
            return of(refusal, null);
        }

        /** For a multiplexed connection. */
        public static Refused of(BrigException refusal, @Nullable String id) {
            return new Refused(refusal.getMessage(), refusal.code().name(), refusal.hints(), null, 0, id);
        }
    }

    /**
     * The agent got this client's answer to an ask.
     *
     * @param option the id of the option; null if a text was the answer
     */
    record Answer(
            String askId, @Nullable String option, @Nullable String text) implements ConnectionLine {}

    /** The answer to {@code ping}. */
    record Pong() implements ConnectionLine {}

    /** The following lines belong to this session. */
    record Session(String spawnId) implements ConnectionLine {}

    /** The worker was paused ({@code throttled}), or continues ({@code running}). */
    record State(String state) implements ConnectionLine {
        public static State of(boolean throttled) {
            return new State(throttled ? "throttled" : "running");
        }
    }

    /** Who is connected to the session. */
    record Presence(List<Captain> captains, int watchers) implements ConnectionLine {
        /** @param control whether this captain holds control */
        @Extensible
        public record Captain(String captain, int connections, boolean control) {}
    }

    /** Converts the object; null for a line type that only newer gateways know. */
    static @Nullable ConnectionLine read(JsonObject line) {
        return line.as(Any.class).line();
    }

    /** A line of any type. */
    @Extensible
    record Any(@Flat @Nullable ConnectionLine line) {}
}
