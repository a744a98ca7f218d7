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
 * A line about one connection: it has no number and is no part of a stream (PROTOCOL.md section 2.2). A gateway may be
 * newer than its client.
 */
@Tagged("type")
@Extensible
public sealed interface ConnectionLine {
    /**
     * The connection may read, and a captain's may write.
     *
     * @param role {@code captain} or {@code watcher}
     * @param from the number at which the stream begins here
     * @param state the spawn's
     */
    record Authenticated(String spawnId, String taskId, String role, String epoch, long from, String state)
            implements ConnectionLine {}

    /**
     * Frames {@code from} to {@code to}, both included, will not come on this connection.
     *
     * @param reason {@code evicted}, {@code record_lost}, {@code record_damaged} or {@code epoch_changed}
     * @param epoch the new one, with {@code epoch_changed}
     */
    record Gap(long from, long to, String reason, @Nullable String epoch) implements ConnectionLine {
        /** The new stream begins at 1, and the frame that the client wants is none of it. */
        public static Gap ofEpoch(long seq, String epoch) {
            return new Gap(seq, seq, "epoch_changed", epoch);
        }
    }

    /**
     * A line of the client was refused, or the connection will be closed.
     *
     * @param error a sentence for a person
     * @param code the error code's name; a newer gateway may have others
     * @param epoch of the stream that was read; with {@code from} where the connection will be closed
     * @param from the first frame that was not sent, at which to resume; 0 where nothing is to be resumed
     * @param id the session's name as the client gave it, on a connection that carries many
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
        /** Something that happened, of which the client can do nothing else than know. */
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

        /** On a connection that carries many sessions. */
        public static Refused of(BrigException refusal, @Nullable String id) {
            return new Refused(refusal.getMessage(), refusal.code().name(), refusal.hints(), null, 0, id);
        }
    }

    /** The answer to {@code ping}. */
    record Pong() implements ConnectionLine {}

    /** The next lines belong to this session. */
    record Session(String spawnId) implements ConnectionLine {}

    /** The worker is paused ({@code throttled}), or goes on ({@code running}). */
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

    /** The line that an object is; null where only a newer gateway knows such lines. */
    static @Nullable ConnectionLine read(JsonObject line) {
        return line.as(Any.class).line();
    }

    /** A line of any type. */
    @Extensible
    record Any(@Flat @Nullable ConnectionLine line) {}
}
